import APNsProtocol
import Activities
public import Logging
public import Messages
import Metrics
public import Postgres
import Reactor
import ServiceKit
import Sightscreen
public import Store

/// Brings every activity of its shards to the newest state of its match, starts what is pending, and ends what is due.
///
/// The database is read on every doorbell and twice a second; a doorbell that also carries a version is fanned out at
/// once. Nothing here must survive: another coordinator goes on from the tables.
public actor LACoordinator {
    /// Buckets for alert claims: a claim means the same phones whoever makes it.
    public static let bucketCount = DeviceRoute.shardCount
    /// Pushes under way at once: a few thousand fill the connections, more would only wait in memory.
    static let pushesMax = 4_096
    /// How often the tables are read when no doorbell rings.
    static let interval = Duration.milliseconds(500)
    /// Between looks at all pending activities, while none of those in front may be started.
    static let thoroughInterval = Duration.seconds(10)
    /// Seconds after which the newest state does not go to anybody any more under the stamp it was committed with.
    static let lateAfter = 60  // longer than any fan-out; a phone calls a state stale 10 minutes after its stamp

    let configuration: CoordinatorConfiguration
    let store: ActivityStore
    let pusher: Pusher
    nonisolated let brakes = Brakes()
    private let holdWatch: HoldWatch
    let logger: Logger
    /// Names this run in alert claims.
    let holder: String
    private let shards: @Sendable () async -> [ShardHold]
    private let wakeups: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let reactor: Reactor

    var matches: [MatchID: MatchFanOut] = [:]
    var clock = DatabaseClock(reading: 0)
    private(set) var holds: [Int: ShardHold] = [:]
    private var trusts: [Int: ShardTrust] = [:]
    private var cursor: String?
    /// Pushes under way, in all and by update token.
    var pushes = 0
    var pushesByToken: [UpdateToken: Int] = [:]
    /// Ends that wait until nothing is under way to their token.
    var endsWaiting: [UpdateToken: EndClaim] = [:]
    var startGates: [ActivityKey: PushGate] = [:]
    var startBudget: Double = 0
    var startBudgetAt = ContinuousClock.now
    /// When all pending activities were looked at, behind those that come first but may not be started.
    var thoroughlyLookedAt = ContinuousClock.now
    /// Answers of the last minute, to tell a few dead tokens from a mistake of ours.
    var badTokens = BadTokenBreaker()
    private(set) var isStopping = false
    private var databaseWorks = true

    /// - Parameter shards: the shards this process holds now, with the proof.
    public init(
        configuration: CoordinatorConfiguration, pool: PostgresPool, logger: Logger,
        shards: @escaping @Sendable () async -> [ShardHold]
    ) throws {
        self.configuration = configuration
        self.logger = logger
        self.shards = shards
        store = ActivityStore(pool: pool)
        holdWatch = try HoldWatch(url: configuration.databaseURL.reveal(), brakes: brakes, logger: logger)
        holder = "\(configuration.instance)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
        reactor = Reactor(name: "apns")
        let apns = configuration.apns
        pusher = Pusher(
            configuration: apns,
            tokens: try ProviderTokenSource(
                store: ProviderTokenStore(pool: pool), keyID: apns.keyID, teamID: apns.teamID, signer: apns.signer,
                minAge: apns.tokenMinAge),
            reactor: reactor, logger: logger)
        (wakeups, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - Doorbells

    /// A version was committed; it goes out at once.
    public func matchUpdated(_ message: MatchUpdated) {
        publish([message.update], areLogged: false)
        wake.yield()
    }

    /// Rows of `live_activities` changed.
    public func activitiesChanged() { wake.yield() }

    /// The operator set or lifted a hold. Nothing waits for this actor, which may be busy.
    public nonisolated func holdsChanged() { holdWatch.ring() }

    // MARK: - Running

    /// Works until cancelled; then waits a moment for the answers of what is under way.
    public func run() async {
        let watching = Task { [holdWatch, wake] in await holdWatch.run { wake.yield() } }
        let ticker = Task { [wake] in
            while !Task.isCancelled {
                wake.yield()
                try? await Task.sleep(for: Self.interval)
            }
        }
        await withTaskCancellationHandler {
            for await _ in wakeups {
                if Task.isCancelled { break }
                await pass()
            }
        } onCancel: {
            wake.finish()
        }
        ticker.cancel()
        isStopping = true
        await Task { await self.drain() }.value
        await holdWatch.close(ending: watching)
    }

    private func drain() async {
        let deadline = ContinuousClock.now + .seconds(3)
        while pushes > 0, .now < deadline { try? await Task.sleep(for: .milliseconds(20)) }
        for trust in trusts.values { trust.end() }
        try? await settleProgress()
        await pusher.close()
        reactor.stop()
    }

    /// Reads what changed and does what is due. A failing database is reported once and asked again.
    private func pass() async {
        // A brake that was set before we began holds from our first push on.
        guard brakes.areKnown else { return }
        do {
            clock = DatabaseClock(reading: try await store.now())
            try await updateShards()
            try await readChanges()
            publish(try await store.updates(beyond: matches.mapValues(\.seenThrough)), areLogged: true)
            try await sendStarts()
            try await sendEnds()
            try await sendFallbacks()
            for match in matches.values { await claimAlerts(match) }
            try await repeatAlertStates()
            try await settleProgress()
            for match in matches.values where match.canGoOn { converge(match) }
            forgetFinished()
            if !databaseWorks { logger.notice("The database answers again") }
            databaseWorks = true
        } catch {
            if databaseWorks, !Task.isCancelled {
                logger.warning("The database cannot be read", metadata: ["error": "\(error)"])
            }
            databaseWorks = false
        }
    }

    // MARK: - Shards and roster

    private func updateShards() async throws {
        let now = Dictionary(await shards().map { ($0.shard, $0) }) { first, _ in first }
        for (shard, hold) in holds where now[shard]?.epoch != hold.epoch { lose(shard) }
        let gained = now.values.filter { holds[$0.shard] == nil }.map(\.shard)
        for (shard, hold) in now where holds[shard] != nil {
            holds[shard] = hold
            trusts[shard]?.extend(to: hold.trustUntil)
        }
        guard !gained.isEmpty else { return }
        let progress = try await store.progress(shards: gained)
        let changes = try await store.roster(shards: gained)
        if cursor == nil { cursor = changes.cursor }
        for shard in gained {
            let trust = ShardTrust()
            if let hold = now[shard] { trust.extend(to: hold.trustUntil) }
            trusts[shard] = trust
            holds[shard] = now[shard]
        }
        for record in changes.records { take(record, progress: progress[record.key.matchID]) }
        if !changes.records.isEmpty {
            logger.info(
                "Took over activities",
                metadata: ["shards": "\(gained.count)", "activities": "\(changes.records.count)"])
        }
    }

    private func lose(_ shard: Int) {
        holds[shard] = nil
        trusts.removeValue(forKey: shard)?.end()
        for match in matches.values {
            for row in match.rows.values where row.route.shard == shard { drop(row, of: match) }
            match.settled = match.settled.filter { Self.shard(ofBucket: $0.key) != shard }
            // Whom its alerts have reached is forgotten with the rows: should the shard come back, they are not told again.
            match.claims = match.claims.mapValues { claim in
                var claim = claim
                claim.gained = claim.gained.filter { Self.shard(ofBucket: $0) != shard }
                return claim
            }
        }
    }

    /// Buckets nest in shards.
    static func shard(ofBucket bucket: Int) -> Int { bucket * DeviceRoute.shardCount / bucketCount }

    private func readChanges() async throws {
        guard let cursor, !holds.isEmpty else { return }
        let changes = try await store.changes(since: cursor, shards: holds.values.map(\.shard))
        for record in changes.records { take(record, progress: nil) }
        self.cursor = changes.cursor
    }

    /// Takes in a row as it is now; most have not changed since they were last read.
    /// - Parameter progress: how far its bucket is settled, when the shard was just taken over.
    private func take(_ record: ActivityRecord, progress: [Int: Stamp]?) {
        if record.status == .ended { startGates.removeValue(forKey: record.key)?.close() }
        let known = matches[record.key.matchID]?.rows[record.key]
        guard record.status == .active, let token = record.updateToken, let trust = trusts[record.route.shard] else {
            if let known, let match = matches[record.key.matchID] { drop(known, of: match) }
            return
        }
        let match = fanOut(record.key.matchID)
        if let known {
            // The same registration: nothing to do. Another token: the old one is never used again.
            if known.token == token, known.tokenAt == record.tokenAt { return }
            drop(known, of: match)
        }
        let settled = progress?[record.route.bucket(of: Self.bucketCount)]
        let delivered = settled.flatMap { record.tokenAt + 30 < Double($0.rawValue) ? $0 : nil }
        // Taken over soon after its first state: only a repetition, if that.
        let hadItsFirst = settled.map { Double($0.rawValue) >= record.tokenAt.rounded(.down) } ?? false
        let row = RosterRow(
            record, token: token, delivered: delivered,
            isNew: delivered == nil && !hadItsFirst && clock.now - record.tokenAt < 60,
            gate: PushGate(trust, match.brake))
        // Another token of the same activity: the phone has been told.
        row.alertedThrough = known?.alertedThrough
        match.rows[record.key] = row
        advance(row, of: match)
    }

    func trust(of shard: Int) -> ShardTrust? { trusts[shard] }

    func drop(_ row: RosterRow, of match: MatchFanOut) {
        row.gate.close()
        match.rows[row.key] = nil
        if let newest = match.update?.stamp, row.convergence.delivered.map({ $0 < newest }) ?? true {
            match.outstanding = max(0, match.outstanding - 1)
        }
        match.needsSettling = true
    }

    func fanOut(_ id: MatchID) -> MatchFanOut {
        if let match = matches[id] { return match }
        let match = MatchFanOut(
            id: id, brake: brakes.brake(of: id), freshness: Int(configuration.alertFreshness.components.seconds))
        matches[id] = match
        return match
    }

    /// A match that has had neither activities nor versions for a while needs no memory; if it goes on, it is read again.
    private func forgetFinished() {
        for (id, match) in matches where match.rows.isEmpty {
            if match.update == nil || .now - match.publishedAt > .seconds(1_800) { matches[id] = nil }
        }
    }
}
