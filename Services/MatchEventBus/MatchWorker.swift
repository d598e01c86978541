import Cricket
import Detection
import Logging
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import SportMonks
import Store
/// The worker of one match: evaluates its frames in turn, the newest only, and commits a version for each change.
///
/// While one frame is evaluated, one newer frame waits; when a still newer one arrives, the waiting one is answered
/// `deferred`. So is a frame that waits for the clock once a newer one is there. Nothing is lost by that: each frame
/// has the whole match, and the machine compares it with the last committed one.
actor MatchWorker {
    private enum Refused: Error { case notHolder }

    private let match: MatchID
    private let bus: BusContext
    private let logger: Logger
    /// The state last committed, with changes that no version shows; nil when it has to be read again.
    private var state: State?
    /// The epoch of the lease under which the match was last acquired.
    private var acquiredEpoch: Int64?
    private var isBusy = false
    /// When the frame being evaluated was fetched; nil without one, and during a tick.
    private var currentFetchedAt: Int64?
    /// The sleep of a frame whose version may not have its stamp yet.
    private var clockWait: Task<Void, Never>?
    private var isClosed = false
    private var waiting: (fetchedAt: Int64, turn: CheckedContinuation<Bool, Never>)?
    private var lastRejection: String?
    /// Whether commits fail. A failure is logged when it begins and when it is over.
    private var isInTrouble = false
    private(set) var lastFrameAt: ContinuousClock.Instant = .now
    /// When the last version was committed here, or this process acquired the match.
    private(set) var lastVersionAt: ContinuousClock.Instant = .now

    private struct State {
        var epoch: Int64
        var version: MatchVersion
        var stamp: Stamp
        var machine: MatchMachine
    }

    init(_ match: MatchID, bus: BusContext) {
        self.match = match
        self.bus = bus
        var logger = bus.logger
        logger[metadataKey: "match.id"] = "\(match)"
        self.logger = logger
    }
    /// Evaluates a frame and commits its change. It never throws: the reply says whether to offer the newest frame
    /// again.
    ///
    /// - Parameter offer: the trace in which the frame was offered.
    func offer(_ frame: ScoreFrame, under offer: TraceContext?) async -> FrameReply {
        let span = beginSpan(.server, under: offer)
        return await TraceContext.$current.withValue(span.context) { await evaluate(frame, span) }
    }

    private func evaluate(_ frame: ScoreFrame, _ span: Span) async -> FrameReply {
        lastFrameAt = .now
        guard await turn(fetchedAt: frame.fetchedAt) else {
            return Self.superseded
        }
        defer { nextTurn() }
        let snapshot: MatchSnapshot
        do {
            guard frame.fixture.id == frame.matchID.rawValue else {
                return reject("the fixture is \(frame.fixture.id), not \(frame.matchID)", span)
            }
            snapshot = try frame.fixture.snapshot()
        } catch {
            return reject("\(error)", span)
        }
        lastRejection = nil
        let timing = bus.timing
        return await commit(yields: true, fetchedAt: frame.fetchedAt, span) { machine, now in
            machine.apply(
                snapshot, fetchedAt: frame.fetchedAt, unchangedUntil: frame.previousFetchedAt,
                word: .init(answeredMs: frame.answeredMs, isListed: frame.isListed), now: now, timing: timing)
        }
    }
    /// Commits changes that come by time alone: a held result, a keep-alive. It is skipped while a frame is evaluated.
    /// - Returns: false when another process holds the match.
    func tick() async -> Bool {
        let timing = bus.timing
        return await byItself { machine, now in machine.tick(now: now, timing: timing) }
    }
    /// Ends the match because an operator asked for it. It is skipped while a frame is evaluated.
    /// - Returns: false when another process holds the match.
    func end() async -> Bool { await byItself { machine, now in machine.endByHand(now: now) } }

    /// Commits a change that no frame brings, which begins a trace.
    private func byItself(_ step: (inout MatchMachine, Int64) -> MatchChange?) async -> Bool {
        guard !isBusy else { return true }
        isBusy = true
        defer { nextTurn() }
        let span = beginSpan(.internal, under: nil)
        let reply = await TraceContext.$current.withValue(span.context) {
            await commit(yields: false, fetchedAt: nil, span, step)
        }
        return reply.outcome != .notHolder
    }
    /// Whether frames of the match are to come; false, too, before its state is known.
    var awaitsFrames: Bool { state?.machine.awaitsFrames ?? false }
    /// Whether the match may be released: it had no frame for `limit`.
    func isIdle(for limit: Duration) -> Bool { !isBusy && .now - lastFrameAt >= limit }
    /// Whether another bus asks for the match and this one gets no frames any more, because its poller is on another
    /// host.
    func isRequestedElsewhere() async -> Bool {
        guard !isBusy, let askedAt = await bus.leases.lease(for: .match(match))?.askedAt else { return false }
        return askedAt > lastFrameAt && .now - lastFrameAt >= MatchEventBus.silenceMax
    }
    /// Prevents any further commit, because another bus is to have the match.
    func close() { isClosed = true }

    private static let superseded = FrameReply(outcome: .deferred, reason: "a newer frame came")

    /// The span of one evaluation, which is exported if a version comes of it, or the frame is refused.
    private func beginSpan(_ kind: Span.Kind, under parent: TraceContext?) -> Span {
        var span = bus.tracer.begin("evaluate", kind, under: parent)
        span["match.id"] = .string("\(match)")
        return span
    }

    // MARK: - Turns

    /// Returns true when it is this frame's turn, and false when a newer one has replaced it.
    private func turn(fetchedAt: Int64) async -> Bool {
        guard isBusy else {
            isBusy = true
            currentFetchedAt = fetchedAt
            return true
        }
        // Requests that were sent one after the other may arrive in another order.
        if let newest = [currentFetchedAt, waiting?.fetchedAt].compactMap({ $0 }).max(), newest > fetchedAt {
            return false
        }
        clockWait?.cancel()
        return await withCheckedContinuation { turn in
            waiting?.turn.resume(returning: false)
            waiting = (fetchedAt, turn)
        }
    }

    private func nextTurn() {
        currentFetchedAt = waiting?.fetchedAt
        guard let next = waiting else {
            isBusy = false
            return
        }
        waiting = nil
        next.turn.resume(returning: true)
    }

    // MARK: - Committing

    /// Runs `step` on the machine and commits the change it returns. With `yields`, it gives up its turn when a newer
    /// frame waits and this one would have to wait for the clock.
    private func commit(
        yields: Bool, fetchedAt: Int64?, _ span: Span, _ step: (inout MatchMachine, Int64) -> MatchChange?
    ) async -> FrameReply {
        do {
            while true {
                let lease = try await lease()
                let state = try await current(lease)
                let now = try await bus.now()
                var machine = state.machine
                guard let change = step(&machine, now) else {
                    self.state?.machine = machine
                    return FrameReply(outcome: .unchanged, version: state.version, stamp: state.stamp)
                }
                if let wait = Self.wait(after: state.stamp, now: now) {
                    // A newer frame takes over instead of waiting behind this one.
                    if yields, waiting != nil { return Self.superseded }
                    try await pause(for: wait, yields: yields)
                    if yields, waiting != nil { return Self.superseded }
                    continue
                }
                do {
                    let commit = try VersionWriter.commit(
                        change, machine: machine, after: state.version, lease: lease, isByTime: fetchedAt == nil,
                        traceparent: span.context.traceparent)
                    let committed = try await bus.store.commit(commit)
                    await note(committed, change, machine: machine, lease: lease, fetchedAt: fetchedAt, span)
                    return FrameReply(outcome: .committed, version: committed.version, stamp: committed.stamp)
                } catch let error as StoreError where error.code == .tooSoon {
                    // Another process took a stamp.
                    try await Task.sleep(for: .milliseconds(100))
                    self.state = nil
                } catch let error as StoreError where error.code == .versionMoved {
                    // The version comes from a commit whose answer was lost, or from the holder before.
                    self.state = nil
                }
            }
        } catch let error {
            return refusal(error)
        }
    }

    /// The time until the next stamp may be taken; nil when it may be taken now.
    private static func wait(after stamp: Stamp, now: Int64) -> Duration? {
        let ahead = Int64(stamp.rawValue - StampLead.max + 1) * 1_000 - now
        return ahead > 0 ? .milliseconds(min(ahead, 1_000)) : nil
    }

    /// Waits for the clock; with `yields` at most until a newer frame arrives.
    private func pause(for wait: Duration, yields: Bool) async throws {
        let sleep = Task { _ = try? await Task.sleep(for: wait) }
        if yields { clockWait = sleep }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        clockWait = nil
        try Task.checkCancellation()
    }

    private func note(
        _ committed: CommittedMatch, _ change: MatchChange, machine: MatchMachine, lease: Lease, fetchedAt: Int64?,
        _ span: Span
    ) async {
        end(span, committed, change, isByTime: fetchedAt == nil)
        state = State(epoch: lease.epoch, version: committed.version, stamp: committed.stamp, machine: machine)
        if isInTrouble {
            isInTrouble = false
            logger.info("Versions are committed again")
        }
        lastVersionAt = .now
        bus.metrics.committed(change, ageMs: fetchedAt.map { committed.committedAtMs - $0 })
        logger.debug(
            "Version committed",
            metadata: [
                "match.version": "\(committed.version)", "match.stamp": "\(committed.stamp)",
                "match.state": "\(change.displayState)", "events": "\(change.events.count)",
                "alert": "\(change.alert?.kind.rawValue ?? "none")",
            ])
        if change.isSilent {
            logger.warning("Nobody reports the match any more, or an operator ended it: its cards end without a result")
        }
        if change.events.contains(where: { $0.kind == .matchResult }) {
            logger.info("Result settled", metadata: ["result": "\(change.contentState.expanded.status ?? "")"])
        }
        await bus.publish(
            VersionWriter.update(change, of: match, as: committed, traceparent: span.context.traceparent))
    }

    private func end(_ span: Span, _ committed: CommittedMatch, _ change: MatchChange, isByTime: Bool) {
        var span = span
        span["match.version"] = .int(committed.version.rawValue)
        span["match.state"] = .string(change.displayState.rawValue)
        span["events"] = .int(change.events.count)
        span["alert"] = .string(change.alert?.kind.rawValue ?? "none")
        span["by.time"] = .bool(isByTime)
        bus.tracer.end(span)
    }

    private func lease() async throws -> Lease {
        guard !isClosed, let lease = try await bus.leases.acquireNow(.match(match)), !isClosed else {
            throw Refused.notHolder
        }
        return lease
    }
    /// The state to continue with: the one kept here, unless another process has held the match since.
    private func current(_ lease: Lease) async throws -> State {
        if let state, state.epoch == lease.epoch { return state }
        let stored = try await bus.store.load(match)
        var machine = MatchMachine(matchID: match)
        if let text = stored?.machine {
            if let kept = VersionWriter.machine(from: text), kept.matchID == match {
                machine = kept
            } else {
                logger.warning("The stored machine cannot be read; the match is followed afresh")
            }
        }
        // Under the same lease the state is only read again: another process took a stamp, or an answer was lost.
        if acquiredEpoch != lease.epoch {
            acquiredEpoch = lease.epoch
            logger.info("Match acquired", metadata: ["match.version": "\(stored?.version ?? MatchVersion(0))"])
        }
        let state = State(
            epoch: lease.epoch, version: stored?.version ?? MatchVersion(0), stamp: stored?.stamp ?? Stamp(0),
            machine: machine)
        self.state = state
        return state
    }

    private func refusal(_ error: any Error) -> FrameReply {
        // The tables show whether the commit took place.
        state = nil
        if error is Refused { return FrameReply(outcome: .notHolder) }
        if let error = error as? StoreError, error.code == .leaseLost { return FrameReply(outcome: .notHolder) }
        if !(error is CancellationError), !isInTrouble {
            isInTrouble = true
            logger.warning("Versions cannot be committed", metadata: ["error": "\(error)"])
        }
        return FrameReply(outcome: .deferred, reason: "\(error)")
    }

    private func reject(_ reason: String, _ span: Span) -> FrameReply {
        var span = span
        span.error = reason
        bus.tracer.end(span)
        if lastRejection != reason {
            logger.warning("Frame rejected", metadata: ["reason": "\(reason)"])
            lastRejection = reason
        }
        return FrameReply(outcome: .rejected, reason: reason)
    }
}
