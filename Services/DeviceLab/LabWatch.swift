import SightscreenModels

/// Brings the lab what happens: on the phones as it does, of tapes and pipeline by asking again and again.
struct LabWatch: Sendable {
    /// Shorter than a ball at forty times the speed of a match.
    static let tapeInterval = Duration.milliseconds(200)
    static let stageInterval = Duration.seconds(1)
    static let heartbeat = Duration.seconds(5)

    let lab: Lab
    let phones: [any LabPhone]
    let desk: TapeDesk
    let stages: StageWatch
    let displayState: DeviceLabService.DisplayState?

    /// Goes on until it is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for phone in phones {
                group.addTask {
                    for await _ in phone.changes { await lab.take(await phone.state) }
                }
            }
            group.addTask { await again(after: Self.tapeInterval) { await lookAtTapes() } }
            // Each by itself: one that does not answer must not hold up the others.
            group.addTask { await again(after: Self.stageInterval) { await lab.take(await stages.look()) } }
            group.addTask { await again(after: Self.stageInterval) { await lab.take(await desk.faults()) } }
            group.addTask { await again(after: Self.stageInterval) { await askForDisplayStates() } }
            group.addTask { await again(after: Self.heartbeat) { await lab.ringAll() } }
        }
    }

    /// What cannot be reached leaves what was last known; its stage says so.
    private func lookAtTapes() async {
        guard let positions = try? await desk.positions() else { return }
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

    private func again(after interval: Duration, _ work: () async -> Void) async {
        while !Task.isCancelled {
            await work()
            try? await Task.sleep(for: interval)
        }
    }
}
