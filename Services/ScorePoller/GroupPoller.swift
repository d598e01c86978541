import Logging
import Messages
import Metrics
import Postgres
import ServiceKit
import Sightscreen
import SportMonks
import Store
import Wire

/// Polls the provider for one group while this process holds the group's lease.
actor GroupPoller {
    private let group: PollGroup
    private let settings: ScorePollerSettings
    private let provider: ProviderClient
    private let leases: LeaseKeeper
    private let pool: PostgresPool
    private let buses: WireDirectory
    private let logger: Logger
    private let readiness: Readiness

    private var breaker = CircuitBreaker()
    private var livescoresBudget: CallBudget
    private var fixturesBudget: CallBudget
    private var couriers: [MatchID: FrameCourier] = [:]
    private var previousFetch: Int64?
    private var missingReadAt: [MatchID: ContinuousClock.Instant] = [:]
    private var lastFixtures: [SlimFixture] = []
    private var lastSuccess: ContinuousClock.Instant?
    private let troubles = OncePer<String>()

    init(
        group: PollGroup, settings: ScorePollerSettings, provider: ProviderClient, leases: LeaseKeeper,
        pool: PostgresPool, buses: WireDirectory, logger: Logger, readiness: Readiness
    ) {
        self.group = group
        self.settings = settings
        self.provider = provider
        self.leases = leases
        self.pool = pool
        self.buses = buses
        self.logger = logger
        self.readiness = readiness
        // Groups share the allowance of one endpoint.
        let share = settings.hourlyLimit == 0 ? 0 : max(settings.hourlyLimit / settings.groups.count, 1)
        livescoresBudget = CallBudget(limit: share)
        fixturesBudget = CallBudget(limit: share)
    }

    /// Until cancelled.
    func run() async {
        while !Task.isCancelled {
            guard let lease = await leases.waitForLease(.poll(group.name)) else { return }
            let began = ContinuousClock.now
            if lease.isTrusted { await poll() }
            let interval = settings.schedule.interval(after: lastFixtures)
            // By the schedule, not by the end of the call: a slow answer does not make polls rarer.
            try? await Task.sleep(until: max(began + interval, .now + .milliseconds(20)))
        }
    }

    private func poll() async {
        reportAge()
        let now = ContinuousClock.now
        guard breaker.allowsCall(at: now) else { return count("breakerOpen") }
        guard livescoresBudget.take(at: now) == nil else {
            // The one trial of a half-open breaker was not made.
            breaker.failed(at: now)
            complain("The provider's allowance for this hour is used up", "SPORTMONKS_HOURLY_LIMIT")
            return count("overBudget")
        }
        do {
            let fetchedAt = try await databaseTime()
            let answer = try await provider.livescores(leagues: group.leagues)
            succeeded(answer)
            await distribute(answer.fixtures, fetchedAt: fetchedAt)
            await readMissing(present: Set(answer.fixtures.map(\.matchID)), fetchedAt: fetchedAt)
            previousFetch = fetchedAt
        } catch {
            failed(error)
        }
    }

    private func succeeded(_ answer: LivescoresAnswer) {
        breaker.succeeded()
        lastSuccess = .now
        lastFixtures = answer.fixtures
        readiness.set("provider", true)
        if troubles.clear("provider") { logger.info("The provider answers again") }
        for problem in answer.problems where troubles.isNews("\(problem)", for: "problem \(problem)") {
            logger.warning("Part of the provider's answer was left out", metadata: ["problem": "\(problem)"])
        }
        count("ok")
        reportAge()
    }

    private func failed(_ error: any Error) {
        guard let failure = error as? ProviderClient.Failure else {
            // The database or a cancellation: nothing the provider did, and its trial call was not made.
            if breaker.state == .halfOpen { breaker.failed(at: .now) }
            if !Task.isCancelled { complain("A poll failed", "\(ErrorChain.describe(error))") }
            return count("error")
        }
        if case .overLimit(let retryAfter) = failure { livescoresBudget.refused(at: .now, retryAfter: retryAfter) }
        breaker.failed(at: .now)
        if case .open = breaker.state { readiness.set("provider", false, reason: "\(failure)") }
        complain("The provider gave no usable answer; the last scores stay", "\(failure)")
        count("failed")
    }

    private func distribute(_ fixtures: [SlimFixture], fetchedAt: Int64) async {
        for fixture in fixtures {
            let match = fixture.matchID
            let courier =
                couriers[match] ?? FrameCourier(match: match, buses: buses, logger: logger)
            couriers[match] = courier
            await courier.offer(
                ScoreFrame(matchID: match, fetchedAt: fetchedAt, previousFetchedAt: previousFetch, fixture: fixture))
        }
    }

    /// A match leaves the live list when it is over, sometimes before its last state was seen: it is read by itself until
    /// the bus has settled it.
    private func readMissing(present: Set<MatchID>, fetchedAt: Int64) async {
        let open: [MatchID]
        do {
            open = try await pool.query(
                """
                SELECT match_id FROM active_matches
                WHERE ended_at IS NULL AND settled_at IS NULL
                    AND display_state NOT IN ('scheduled', 'completed', 'abandoned')
                ORDER BY match_id LIMIT 500
                """
            ).map { MatchID(try $0.int64("match_id")) }
        } catch {
            return complain("Open matches cannot be read", "\(error)")
        }
        let missing = open.filter { !present.contains($0) }
        missingReadAt = missingReadAt.filter { missing.contains($0.key) }
        couriers = couriers.filter { present.contains($0.key) || missing.contains($0.key) }
        let pause = settings.schedule.usual * 3
        for match in missing {
            let now = ContinuousClock.now
            if let last = missingReadAt[match], now - last < pause { continue }
            guard fixturesBudget.take(at: now) == nil else { return }
            missingReadAt[match] = now
            do {
                let answer = try await provider.fixture(match.rawValue)
                // With groups, a match of another group is somebody else's.
                guard group.leagues.isEmpty || group.leagues.contains(answer.fixture.leagueID ?? 0) else { continue }
                await distribute([answer.fixture], fetchedAt: fetchedAt)
            } catch {
                if case .overLimit(let retryAfter) = error as? ProviderClient.Failure {
                    fixturesBudget.refused(at: .now, retryAfter: retryAfter)
                }
                complain("A match that left the live list cannot be read", "\(error)")
            }
        }
    }

    /// All dates come from the database's clock: hosts differ.
    private func databaseTime() async throws -> Int64 {
        let rows = try await pool.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now")
        guard let row = rows.first else { return 0 }
        return try row.int64("now")
    }

    private func complain(_ message: Logger.Message, _ reason: String) {
        guard troubles.isNews("\(message) \(reason)", for: "provider") else { return }
        logger.warning(message, metadata: ["poll.group": "\(group.name)", "reason": "\(reason)"])
    }

    private func count(_ outcome: String) {
        Counter(label: "sightscreen_polls_total", dimensions: [("outcome", outcome)]).increment()
    }

    private func reportAge() {
        guard let lastSuccess else { return }
        Gauge(label: "sightscreen_poll_age_seconds", dimensions: [("group", group.name)])
            .record((ContinuousClock.now - lastSuccess) / .seconds(1))
    }
}
