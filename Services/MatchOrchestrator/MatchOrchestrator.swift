public import Activities
package import Logging
package import SightscreenModels
public import Store

/// Compares the activities that should exist with those that do, and makes or ends the difference. A pass may be
/// repeated, interrupted, or run by two orchestrators at once. Startup recovery is the same pass as every other.
public actor MatchOrchestrator {
    /// The orchestrator's waiting periods and the rules about time.
    public struct Timing: Sendable {
        /// The time between passes.
        public var interval: Duration
        /// The time before a match's start at which its activities begin.
        public var startLead: Duration
        /// The time from the announced result, or the announced close of a day's play, to the `end`.
        public var resultHold: Duration
        /// The time from the end of a match to that of its follows.
        public var followRetention: Duration
        /// The steps for phones that do not answer to starts.
        public var fallback: StartFallback
        /// The age at which an activity is replaced before iOS ends it.
        public var renewal: RenewalRule
        /// The phones of a class that a broadcast channel is worth; nil for no channels.
        public var channelFollowersMin: Int?

        package init(
            interval: Duration, startLead: Duration, resultHold: Duration, followRetention: Duration,
            fallback: StartFallback = StartFallback(), renewal: RenewalRule = RenewalRule(),
            channelFollowersMin: Int? = nil
        ) {
            self.interval = interval
            self.startLead = startLead
            self.resultHold = resultHold
            self.followRetention = followRetention
            self.fallback = fallback
            self.renewal = renewal
            self.channelFollowersMin = channelFollowersMin
        }
    }

    private let store: OrchestratorStore
    private let timing: Timing
    private let logger: Logger
    private let notify: @Sendable (MatchID) async -> Void
    private let metrics = OrchestratorMetrics()
    private var calledOff = CalledOffTracker()
    private var renewals: RenewalTracker
    private var failures = FailureLog()
    private var inPlay: Set<MatchID> = []
    /// The scans over the followers of each live match, and over all activities.
    private var followers: [MatchID: RotatingScan<String>] = [:]
    private var activities = RotatingScan<OrchestratorStore.ActivityPlace>()
    /// What is known of the classes without a channel; nil before all of them are counted.
    private var channelLook: OrchestratorStore.ChannelLook?
    private var passesToCount = 0
    private var passesToPurge = 0
    /// The number of passes between two searches for expired rows: ten minutes at the usual 30 s. Rows expire after
    /// hours or months.
    private static let passesPerPurge = 20
    /// The number of passes after which all classes without a channel are counted anew: an hour at the usual 30 s. Only
    /// a row that was written without its trigger waits so long.
    private static let passesPerCount = 120
    /// The followers of a match, and the activities, that one pass scans while nothing has been missing: a million in
    /// ten minutes.
    private static let rowsPerScan = 50_000
    /// The pause after the lease was lost, which may be acquired again at once. It must not be shorter: until the
    /// keeper has checked, it may still return the lost lease.
    private static let lostPause = Duration.milliseconds(500)
    /// The time between two looks for a match that has come into play.
    private static let lookInterval = Duration.seconds(2)
    /// The least time between notifications while activities of one match are made.
    private static let notifyInterval = Duration.seconds(1)

    /// - Parameter notify: tells the coordinators that activities of a match changed; the notification may be lost.
    package init(
        store: OrchestratorStore, timing: Timing, logger: Logger, notify: @escaping @Sendable (MatchID) async -> Void
    ) {
        self.store = store
        self.timing = timing
        self.logger = logger
        self.notify = notify
        renewals = RenewalTracker(rule: timing.renewal)
        metrics.begin()
    }
    /// Makes one pass. A failed step is logged and does not stop the others.
    ///
    /// - Parameters:
    ///   - lease: the orchestrator's lease; every write proves it. When it is lost, the pass stops.
    ///   - syncs: how many syncs of the schedule have succeeded so far.
    /// - Returns: the time to wait before the next pass; at most half a second after a lost lease, because the next
    ///   pass waits for the lease.
    public func runOnce(under lease: Lease, syncs: Int) async -> Duration {
        let started = ContinuousClock.now
        var failed = 0
        var isLost = false
        do {
            // Ends come first, because what has ended must not be started.
            try await step("ends", &failed) { try await endMatches(lease, syncs) }
            try await step("renewals", &failed) { try await renew(lease) }
            // Before the starts, so that they can go out on the channels.
            try await step("channels", &failed) { try await askForChannels(lease) }
            try await step("starts", &failed) { try await startMissing(lease) }
            try await step("lost time", &failed) { try await askAfterLostTime(lease) }
            try await step("fallbacks", &failed) { try await moveFallbacks(lease) }
            try await step("follows", &failed) {
                try await store.expireFollows(after: timing.followRetention, under: lease)
            }
            try await step("purge", &failed) { try await purge(lease) }
            // Erasure comes last, so that trouble with one account delays no other step.
            try await step("erasure", &failed) {
                if try await store.eraseDeletedUsers(under: lease) > 0 { activities.scanAll() }
            }
        } catch {
            logger.info("The pass is left to another orchestrator")
            retire()
            isLost = true
        }
        metrics.passed(.now - started, failedSteps: failed)
        return isLost ? min(timing.interval, Self.lostPause) : await untilNext()
    }
    /// Waits for the next pass. It comes at once when a match has come into play, so that the first cards of a day wait
    /// for seconds and not for a whole interval.
    public func rest(for pause: Duration) async {
        let end = ContinuousClock.now + pause
        while !Task.isCancelled, .now < end {
            try? await Task.sleep(until: min(end, .now + Self.lookInterval))
            if let playing = try? await store.matchesInPlay(), !Set(playing.keys).isSubset(of: inPlay) { return }
        }
    }
    /// Forgets what was found, because another orchestrator may be in charge from now on.
    public func retire() {
        metrics.inPlay(nil)
        // The other orchestrator's changes are not known here, so everything is scanned again.
        followers = [:]
        activities.scanAll()
        channelLook = nil
    }

    private func step(_ name: String, _ failed: inout Int, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            failures.succeeded(name, logger)
        } catch let error as StoreError where error.code == .leaseLost {
            throw error
        } catch {
            failed += 1
            // Activities may have been made before the step failed.
            activities.scanAll()
            if !Task.isCancelled { failures.failed(name, error, logger) }
        }
    }

    private func endMatches(_ lease: Lease, _ syncs: Int) async throws {
        for match in try await store.endSettledMatches(hold: timing.resultHold, under: lease) {
            logger.info("Match ended", metadata: ["match.id": "\(match)"])
        }
        // Event-bus may hold a result for `resultHold`, whose alert says why the cards end.
        let off = calledOff.confirmed(
            try await store.calledOffMatches(quiet: timing.resultHold * 2), afterSync: syncs)
        if !off.isEmpty {
            try await store.endCalledOffMatches(off, under: lease)
            for match in off { logger.info("Match was called off", metadata: ["match.id": "\(match)"]) }
        }
        let ended = try await store.endActivities(
            hold: timing.resultHold, calledOff: off, under: lease)
        metrics.ended(ended.rows, reason: "match_end")
        let (unfollowed, last) = try await store.endUnfollowed(
            under: lease, after: activities.place ?? .begin,
            activities: activities.isQuiet ? Self.rowsPerScan : .max)
        activities.scanned(to: last, found: unfollowed.rows > 0)
        metrics.ended(unfollowed.rows, reason: "user_unfollow")
        if ended.rows > 0 { logger.info("Activities ended", metadata: ["count": "\(ended.rows)"]) }
        for match in ended.matches.union(unfollowed.matches) { await notify(match) }
    }

    private func askForChannels(_ lease: Lease) async throws {
        guard let followers = timing.channelFollowersMin else { return }
        passesToCount -= 1
        if passesToCount <= 0 {
            channelLook = nil
            passesToCount = Self.passesPerCount
        }
        let look = try await store.askForChannels(followers: followers, since: channelLook, under: lease)
        channelLook = look
        if look.asked > 0 { logger.info("Channels to create", metadata: ["count": "\(look.asked)"]) }
    }

    private func startMissing(_ lease: Lease) async throws {
        let givenUp = try await store.giveUpStarts(under: lease)
        if givenUp > 0 { logger.info("Starts given up", metadata: ["count": "\(givenUp)"]) }
        let live = try await store.liveMatches(lead: timing.startLead)
        followers = followers.filter { live.contains($0.key) }
        for match in live {
            var turn = followers[match, default: RotatingScan()]
            // Making a million activities takes time, so coordinators are notified on the way: the first need not wait
            // for the last.
            var notifiedAt: ContinuousClock.Instant?
            let scan = try await store.createPending(
                for: match, under: lease, after: turn.place ?? "",
                followers: turn.isQuiet ? Self.rowsPerScan : .max
            ) { [notify] in
                if let notifiedAt, .now - notifiedAt < Self.notifyInterval { return }
                await notify(match)
                notifiedAt = .now
            }
            turn.scanned(to: scan.last, found: scan.made > 0)
            // Before play a follow makes no activity by itself, so each pass scans all followers.
            if !inPlay.contains(match) { turn.scanAll() }
            followers[match] = turn
            guard scan.made > 0 else { continue }
            // An unfollow cannot see an activity that is being made at the same time.
            activities.scanAll()
            metrics.created(scan.made)
            logger.info("Activities to start", metadata: ["match.id": "\(match)", "count": "\(scan.made)"])
            await notify(match)
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
            renewals.scanned(match, oldest: found.oldest, at: now)
            guard found.marked > 0 else { continue }
            metrics.renewalsDue(found.marked)
            logger.info(
                "Activities to renew", metadata: ["match.id": "\(match)", "count": "\(found.marked)"])
            await notify(match)
        }
        // An activity that was marked only now may be too old already.
        let outlived = try await store.endOutlived(under: lease)
        metrics.ended(outlived.rows, reason: "match_end")
        for match in outlived.matches {
            followers[match]?.scanAll()
            await notify(match)
        }
    }

    private func askAfterLostTime(_ lease: Lease) async throws {
        let asked = try await store.askAfterLostTime(under: lease)
        guard asked > 0 else { return }
        logger.warning(
            "The database went back: phones are asked whether they have a card", metadata: ["count": "\(asked)"])
    }

    private func moveFallbacks(_ lease: Lease) async throws {
        let changes = try await store.moveFallbacks(timing.fallback, under: lease)
        for (step, count) in changes.moved.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics.movedFallbacks(count, to: step)
            logger.info(
                "Phones that do not answer to starts", metadata: ["step": "\(step)", "count": "\(count)"])
        }
        for match in changes.matches { await notify(match) }
        metrics.fallbacks(try await store.fallbackCounts())
    }

    private func purge(_ lease: Lease) async throws {
        passesToPurge -= 1
        guard passesToPurge <= 0 else { return }
        try await store.purge(after: timing.followRetention, under: lease)
        try await store.purgeDevices(under: lease)
        passesToPurge = Self.passesPerPurge
    }

    /// Returns the time to the next pass. It comes sooner when the hold of a result or of stumps ends before.
    private func untilNext() async -> Duration {
        guard let due = try? await store.untilNextEnd(hold: timing.resultHold) else { return timing.interval }
        return min(timing.interval, due + .milliseconds(50))
    }
}
