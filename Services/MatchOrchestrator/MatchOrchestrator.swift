public import Activities
package import Logging
package import SightscreenModels
public import Store

/// Makes what should exist out of what does: one look at everything, which may be repeated, interrupted, or done by two
/// at once. Startup recovery is the same look as every other.
public actor MatchOrchestrator {
    /// What waits for how long.
    public struct Timing: Sendable {
        /// Between passes.
        public var interval: Duration
        /// How long before its start a match's activities begin.
        public var startLead: Duration
        /// From the announced result to the `end`.
        public var resultHold: Duration
        /// From the end of a match to that of its follows.
        public var followRetention: Duration
        /// What is done about phones that do not answer to starts.
        public var fallback: StartFallback
        /// When an activity is replaced before iOS ends it.
        public var renewal: RenewalRule

        public init(
            interval: Duration, startLead: Duration, resultHold: Duration, followRetention: Duration,
            fallback: StartFallback = StartFallback(), renewal: RenewalRule = RenewalRule()
        ) {
            self.interval = interval
            self.startLead = startLead
            self.resultHold = resultHold
            self.followRetention = followRetention
            self.fallback = fallback
            self.renewal = renewal
        }
    }

    private let store: OrchestratorStore
    private let timing: Timing
    private let logger: Logger
    private let ring: @Sendable (MatchID) async -> Void
    private let metrics = OrchestratorMetrics()
    private var calledOff = CalledOffWatch()
    private var renewals: RenewalWatch
    private var failures = FailureLog()
    private var inPlay: Set<MatchID> = []
    /// The followers of each live match, and all activities.
    private var followers: [MatchID: LookInTurn<String>] = [:]
    private var activities = LookInTurn<OrchestratorStore.ActivityPlace>()
    private var passesToPurge = 0
    /// From one look at all rows for what has had its time, after hours or months, to the next: ten minutes.
    private static let passesPerPurge = 20
    /// How many followers, and how many activities, are looked at in a pass where nothing has been missing: a million in
    /// ten minutes.
    private static let rowsInTurn = 50_000
    /// Who lost the lease may have it again at once. No shorter: until the keeper has looked, it may take the lost one for
    /// ours.
    private static let lostPause = Duration.milliseconds(500)
    /// Between doorbells while activities of one match are made.
    private static let ringInterval = Duration.seconds(1)

    /// - Parameter ring: tells the coordinators that activities of a match changed; it may be lost.
    package init(
        store: OrchestratorStore, timing: Timing, logger: Logger, ring: @escaping @Sendable (MatchID) async -> Void
    ) {
        self.store = store
        self.timing = timing
        self.logger = logger
        self.ring = ring
        renewals = RenewalWatch(rule: timing.renewal)
    }

    /// One look at everything. A step that fails is logged and does not keep the others from being done.
    ///
    /// - Parameters:
    ///   - lease: the orchestrator's; every write proves it. When it is lost, the pass stops.
    ///   - syncs: how many syncs of the schedule have succeeded so far.
    /// - Returns: how long to wait for the next; after a lost lease hardly at all, since the next waits for the lease.
    public func runOnce(under lease: Lease, syncs: Int) async -> Duration {
        let started = ContinuousClock.now
        var failed = 0
        var isLost = false
        do {
            // Ends first: what has ended must not be started.
            try await step("ends", &failed) { try await endMatches(lease, syncs) }
            try await step("renewals", &failed) { try await renew(lease) }
            try await step("starts", &failed) { try await startMissing(lease) }
            try await step("fallbacks", &failed) { try await moveFallbacks(lease) }
            try await step("follows", &failed) {
                try await store.expireFollows(after: timing.followRetention, under: lease)
            }
            try await step("purge", &failed) { try await purge(lease) }
            // Last: trouble with one account keeps nothing else.
            try await step("erasure", &failed) {
                if try await store.eraseDeletedUsers(under: lease) > 0 { activities.lookAtAll() }
            }
        } catch {
            logger.info("The pass is left to another orchestrator")
            retire()
            isLost = true
        }
        metrics.passed(.now - started, failedSteps: failed)
        return isLost ? min(timing.interval, Self.lostPause) : await untilNext()
    }

    /// Another one may be in charge from now on.
    public func retire() {
        metrics.inPlay(nil)
        // What it does is not known here.
        followers = [:]
        activities.lookAtAll()
    }

    private func step(_ name: String, _ failed: inout Int, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            failures.succeeded(name, logger)
        } catch let error as StoreError where error.code == .leaseLost {
            throw error
        } catch {
            failed += 1
            // Activities may have been made before it failed.
            activities.lookAtAll()
            if !Task.isCancelled { failures.failed(name, error, logger) }
        }
    }

    private func endMatches(_ lease: Lease, _ syncs: Int) async throws {
        for match in try await store.endSettledMatches(hold: timing.resultHold, under: lease) {
            logger.info("Match ended", metadata: ["match.id": "\(match)"])
        }
        let off = calledOff.confirmed(
            try await store.calledOffMatches(quiet: timing.resultHold), afterSync: syncs)
        if !off.isEmpty {
            try await store.endCalledOffMatches(off, under: lease)
            for match in off { logger.info("Match was called off", metadata: ["match.id": "\(match)"]) }
        }
        let ended = try await store.endActivities(calledOff: off, under: lease)
        metrics.ended(ended.rows, reason: "match_end")
        let (unfollowed, last) = try await store.endUnfollowed(
            under: lease, after: activities.place ?? .begin,
            activities: activities.isQuiet ? Self.rowsInTurn : .max)
        activities.looked(to: last, found: unfollowed.rows > 0)
        metrics.ended(unfollowed.rows, reason: "user_unfollow")
        if ended.rows > 0 { logger.info("Activities ended", metadata: ["count": "\(ended.rows)"]) }
        for match in ended.matches.union(unfollowed.matches) { await ring(match) }
    }

    private func startMissing(_ lease: Lease) async throws {
        let givenUp = try await store.giveUpStarts(under: lease)
        if givenUp > 0 { logger.info("Starts given up", metadata: ["count": "\(givenUp)"]) }
        let live = try await store.liveMatches(lead: timing.startLead)
        followers = followers.filter { live.contains($0.key) }
        for match in live {
            var turn = followers[match, default: LookInTurn()]
            // A million take their time: the first of them need not wait for the last.
            var rungAt: ContinuousClock.Instant?
            let look = try await store.createPending(
                for: match, under: lease, after: turn.place ?? "",
                followers: turn.isQuiet ? Self.rowsInTurn : .max
            ) { [ring] in
                if let rungAt, .now - rungAt < Self.ringInterval { return }
                await ring(match)
                rungAt = .now
            }
            turn.looked(to: look.last, found: look.made > 0)
            // Before play a follow makes no activity by itself.
            if !inPlay.contains(match) { turn.lookAtAll() }
            followers[match] = turn
            guard look.made > 0 else { continue }
            // An unfollow cannot see what is made at the same time.
            activities.lookAtAll()
            metrics.created(look.made)
            logger.info("Activities to start", metadata: ["match.id": "\(match)", "count": "\(look.made)"])
            await ring(match)
        }
    }

    private func renew(_ lease: Lease) async throws {
        let matches = try await store.matchesInPlay()
        metrics.inPlay(matches.count)
        inPlay = Set(matches.keys)
        renewals.forget(except: matches.keys)
        for (match, isBreak) in matches.sorted(by: { $0.key < $1.key }) {
            let now = ContinuousClock.now
            guard let age = renewals.age(match, isBreak: isBreak, at: now) else { continue }
            let found = try await store.markRenewals(of: match, from: age, under: lease)
            renewals.looked(match, oldest: found.oldest, at: now)
            guard found.marked > 0 else { continue }
            metrics.renewalsDue(found.marked)
            logger.info(
                "Activities to renew", metadata: ["match.id": "\(match)", "count": "\(found.marked)"])
            await ring(match)
        }
        // What was marked only now may be too old already.
        let outlived = try await store.endOutlived(under: lease)
        metrics.ended(outlived.rows, reason: "match_end")
        for match in outlived.matches {
            followers[match]?.lookAtAll()
            await ring(match)
        }
    }

    private func moveFallbacks(_ lease: Lease) async throws {
        let changes = try await store.moveFallbacks(timing.fallback, under: lease)
        for (step, count) in changes.moved.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics.movedFallbacks(count, to: step)
            logger.info(
                "Phones that do not answer to starts", metadata: ["step": "\(step)", "count": "\(count)"])
        }
        for match in changes.matches { await ring(match) }
        metrics.fallbacks(try await store.fallbackCounts())
    }

    private func purge(_ lease: Lease) async throws {
        passesToPurge -= 1
        guard passesToPurge <= 0 else { return }
        try await store.purge(after: timing.followRetention, under: lease)
        try await store.purgeDevices(under: lease)
        passesToPurge = Self.passesPerPurge
    }

    /// A result whose hold ends before the next pass is not kept waiting for it.
    private func untilNext() async -> Duration {
        guard let due = try? await store.untilNextEnd(hold: timing.resultHold) else { return timing.interval }
        return min(timing.interval, due + .milliseconds(50))
    }
}
