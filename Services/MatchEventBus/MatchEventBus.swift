package import Detection
package import Logging
public import Messages
public import ServiceKit
public import SightscreenModels
package import Store

/// Evaluates the frames of all matches that this process holds, and commits the changes that time brings: keep-alives
/// and held results.
public actor MatchEventBus {
    /// A match without a frame for this long (two and a half of the longest polling periods) is released.
    static let idleLimit: Duration = .seconds(150)
    /// A match is released to another host's bus when that bus asks for it and no frame came here for this long.
    static let silenceMax: Duration = .seconds(1)
    static let tickInterval: Duration = .milliseconds(500)
    static let adoptInterval: Duration = .seconds(5)
    /// The most matches held at a time, more than are ever live; further ones are refused.
    static let workersMax = 512

    private let context: BusContext
    private let leaseDuration: Duration
    private var workers: [MatchID: MatchWorker] = [:]
    private var releasedAt: [MatchID: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - publish: notifies the coordinators of a committed version; best effort.
    package init(
        store: MatchStore, leases: LeaseKeeper, timing: MatchTiming, leaseDuration: Duration = .seconds(8),
        logger: Logger, tracer: Tracer = .off, publish: @escaping @Sendable (MatchUpdate) async -> Void
    ) {
        context = BusContext(
            store: store, leases: leases, timing: timing, logger: logger, tracer: tracer, publish: publish)
        self.leaseDuration = leaseDuration
    }

    /// Evaluates a frame and returns its reply, once its version is committed or none is needed.
    ///
    /// - Parameter offer: the trace in which the frame was offered.
    public func evaluate(_ frame: ScoreFrame, under offer: TraceContext? = nil) async -> FrameReply {
        guard let worker = worker(frame.matchID) else {
            return FrameReply(outcome: .deferred, reason: "too many matches")
        }
        let reply = await worker.offer(frame, under: offer)
        context.metrics.answered(reply.outcome)
        if reply.outcome == .notHolder { await drop(frame.matchID) }
        return reply
    }

    /// Releases a match, because another bus is to have it.
    public func handOver(_ match: MatchID) async {
        if let worker = workers[match] { await worker.close() }
        releasedAt[match] = .now
        await drop(match)
    }

    /// Runs until cancelled: ticks every match, adopts matches without a holder, and releases those without frames.
    public func run() async {
        context.metrics.begin()
        var adopted = ContinuousClock.now
        while !Task.isCancelled {
            await tick()
            if .now - adopted >= Self.adoptInterval {
                await adopt()
                await endAsked()
                adopted = .now
            }
            try? await Task.sleep(for: Self.tickInterval)
        }
    }

    /// Ticks all matches side by side, so that a match that waits for the database or the clock delays no other.
    private func tick() async {
        enum Fate { case keep, lost, release }
        await withTaskGroup(of: (MatchID, Fate).self) { group in
            for (match, worker) in workers {
                group.addTask {
                    guard await worker.tick() else { return (match, .lost) }
                    if await worker.isRequestedElsewhere() { return (match, .release) }
                    return (match, await worker.isIdle(for: Self.idleLimit) ? .release : .keep)
                }
            }
            for await (match, fate) in group where fate != .keep {
                if fate == .release { releasedAt[match] = .now }
                await drop(match)
            }
        }
        await reportSilence()
    }

    private func reportSilence() async {
        var (frame, version) = (ContinuousClock.now, ContinuousClock.now)
        for worker in workers.values {
            guard await worker.awaitsFrames else { continue }
            frame = min(frame, await worker.lastFrameAt)
            version = min(version, await worker.lastVersionAt)
        }
        context.metrics.silence(frames: .now - frame, versions: .now - version)
    }

    private func worker(_ match: MatchID) -> MatchWorker? {
        if let worker = workers[match] { return worker }
        guard workers.count < Self.workersMax else { return nil }
        let worker = MatchWorker(match, bus: context)
        workers[match] = worker
        return worker
    }

    private func drop(_ match: MatchID) async {
        workers[match] = nil
        await context.leases.forget([.match(match)])
    }

    /// Ends the matches that an operator wants to be ended, as far as this process holds them or nobody does.
    private func endAsked() async {
        guard let asked = try? await context.store.endsAsked() else { return }
        for match in asked {
            guard let worker = worker(match) else { continue }
            if await !worker.end() { await drop(match) }
        }
    }

    /// Adopts matches in play without a holder (the bus died, the poller is silent), which still need keep-alives and
    /// results.
    private func adopt() async {
        releasedAt = releasedAt.filter { .now - $0.value < leaseDuration * 3 }
        // The poller reports a database that cannot be reached.
        guard let orphans = try? await context.store.orphans(quietFor: leaseDuration * 3) else { return }
        for match in orphans where workers[match] == nil && releasedAt[match] == nil {
            _ = worker(match)
        }
    }
}
