import SightscreenModels

/// Brings events to the lab: those of the phones as they happen, those of tapes and pipeline by polling.
struct LabMonitor: Sendable {
    /// The polling interval of tapes, shorter than a ball at forty times the speed of a match.
    static let tapeInterval = Duration.milliseconds(200)
    static let stageInterval = Duration.seconds(1)
    static let heartbeat = Duration.seconds(5)

    let lab: Lab
    let phones: [any LabPhone]
    let standIns: StandInControl
    let stages: StageMonitor
    let displayState: DeviceLabService.DisplayState?
    /// Nil without a database.
    let channels: ChannelMonitor?

    /// Monitors everything until it is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for phone in phones {
                group.addTask {
                    for await _ in phone.changes { await lab.take(await phone.state) }
                }
            }
            group.addTask { await repeatWork(every: Self.tapeInterval) { await lookAtTapes() } }
            // Each poll runs by itself, so that one without an answer does not delay the others.
            group.addTask { await repeatWork(every: Self.stageInterval) { await lab.take(await stages.look()) } }
            group.addTask { await repeatWork(every: Self.stageInterval) { await lab.take(await standIns.faults()) } }
            group.addTask { await repeatWork(every: Self.stageInterval) { await askForDisplayStates() } }
            group.addTask { await repeatWork(every: Self.stageInterval) { await lookAtChannels() } }
            group.addTask { await repeatWork(every: Self.heartbeat) { await lab.wakeAll() } }
        }
    }

    /// Reads the tapes' positions. When they cannot be reached, the last known ones stay, and the stage shows the
    /// problem.
    private func lookAtTapes() async {
        guard let positions = try? await standIns.positions() else { return }
        let shown = positions.compactMap { position in position.shownAt.map { (position.matchId, $0) } }
        await lab.take(
            positions.map { ($0.matchId, $0.title, $0.tape) },
            shownAtMs: Dictionary(shown) { first, _ in first })
    }

    private func askForDisplayStates() async {
        guard let displayState else { return }
        for match in await lab.state.matches where match.tape.isPlaying || match.version == 0 {
            if let content = try? await displayState(match.id) { await lab.learn(content, of: match.id) }
        }
    }

    /// Reads the channels. While the database does not answer, the last known ones stay.
    private func lookAtChannels() async {
        guard let channels = await channels?.look(at: await lab.state.matches.map(\.id)) else { return }
        await lab.take(channels)
    }

    private func repeatWork(every interval: Duration, _ work: () async -> Void) async {
        while !Task.isCancelled {
            await work()
            try? await Task.sleep(for: interval)
        }
    }
}
