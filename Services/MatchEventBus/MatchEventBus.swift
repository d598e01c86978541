package import Detection
package import Logging
public import Messages
public import ServiceKit
public import SightscreenModels
package import Store

/// Judges the frames of all matches this process holds, and lets time do its part: keep-alives and held results.
public actor MatchEventBus {
    /// Without a frame for so long (two and a half of the longest polling period) a match is let go.
    static let idleLimit: Duration = .seconds(150)
    /// Frames go to another host's bus when it asks for the match and none has come here since, and for so long.
    static let silenceMax: Duration = .seconds(1)
    static let tickInterval: Duration = .milliseconds(500)
    static let adoptInterval: Duration = .seconds(5)
    /// Several hundred live matches do not exist; whoever offers more is mistaken.
    static let desksMax = 512

    private let tools: BusTools
    private let leaseDuration: Duration
    private var desks: [MatchID: MatchDesk] = [:]
    private var letGoAt: [MatchID: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - publish: tells the coordinators about a committed version; best effort.
    package init(
        store: MatchStore, leases: LeaseKeeper, timing: MatchTiming, leaseDuration: Duration = .seconds(8),
        logger: Logger, tracer: Tracer = .off, publish: @escaping @Sendable (MatchUpdate) async -> Void
    ) {
        tools = BusTools(
            store: store, leases: leases, timing: timing, logger: logger, tracer: tracer, publish: publish)
        self.leaseDuration = leaseDuration
    }

    /// The answer to one frame, given once its version is committed or none is needed.
    /// - Parameter offer: the trace in which it was offered.
    public func judge(_ frame: ScoreFrame, under offer: TraceContext? = nil) async -> FrameVerdict {
        guard let desk = desk(frame.matchID) else {
            return FrameVerdict(outcome: .deferred, reason: "too many matches")
        }
        let verdict = await desk.offer(frame, under: offer)
        tools.metrics.answered(verdict.outcome)
        if verdict.outcome == .notHolder { await drop(frame.matchID) }
        return verdict
    }

    /// Another bus is to have the match.
    public func handOver(_ match: MatchID) async {
        if let desk = desks[match] { await desk.close() }
        letGoAt[match] = .now
        await drop(match)
    }

    /// Until cancelled: ticks for every match, takes over matches that nobody holds, lets go of those without frames.
    public func run() async {
        var adopted = ContinuousClock.now
        while !Task.isCancelled {
            await tick()
            if .now - adopted >= Self.adoptInterval {
                await adopt()
                adopted = .now
            }
            try? await Task.sleep(for: Self.tickInterval)
        }
    }

    /// All matches side by side: one that waits for the database or the clock keeps no other waiting.
    private func tick() async {
        enum Fate { case stays, lost, useless }
        await withTaskGroup(of: (MatchID, Fate).self) { group in
            for (match, desk) in desks {
                group.addTask {
                    guard await desk.tick() else { return (match, .lost) }
                    if await desk.isWantedElsewhere() { return (match, .useless) }
                    return (match, await desk.isIdle(for: Self.idleLimit) ? .useless : .stays)
                }
            }
            for await (match, fate) in group where fate != .stays {
                if fate == .useless { letGoAt[match] = .now }
                await drop(match)
            }
        }
        await reportSilence()
    }

    private func reportSilence() async {
        var (frame, version) = (ContinuousClock.now, ContinuousClock.now)
        for desk in desks.values {
            frame = min(frame, await desk.lastFrameAt)
            version = min(version, await desk.lastVersionAt)
        }
        tools.metrics.silence(frames: .now - frame, versions: .now - version)
    }

    private func desk(_ match: MatchID) -> MatchDesk? {
        if let desk = desks[match] { return desk }
        guard desks.count < Self.desksMax else { return nil }
        let desk = MatchDesk(match, bus: tools)
        desks[match] = desk
        return desk
    }

    private func drop(_ match: MatchID) async {
        desks[match] = nil
        await tools.leases.forget([.match(match)])
    }

    /// A match in play without a holder (its bus died, its poller is silent) still owes keep-alives and its result.
    private func adopt() async {
        letGoAt = letGoAt.filter { .now - $0.value < leaseDuration * 3 }
        // A database that is away is reported by whoever offers frames.
        guard let orphans = try? await tools.store.orphans(quietFor: leaseDuration * 3) else { return }
        for match in orphans where desks[match] == nil && letGoAt[match] == nil {
            _ = desk(match)
        }
    }
}
