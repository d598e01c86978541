import Logging
import Messages
import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import SportMonks
import Store
import Wire

/// Polls the provider for one group while this process holds the group's lease.
actor GroupPoller {
    /// The longest time between two reports of values that change with time alone.
    private static let reportInterval = Duration.seconds(5)
    /// How much of the hour's calls to `/fixtures` may be used up before missing matches wait. The orchestrator spreads
    /// calls of its own over half of them (`SyncPlan`), so the last quarter is always its.
    private static let fixturesShare = 0.75

    let group: PollGroup
    let configuration: ScorePollerConfiguration
    let provider: ProviderClient
    let pool: PostgresPool
    private let calls: ProviderCallStore
    private let leases: LeaseKeeper
    private let buses: WireDirectory
    private let logger: Logger
    private let readiness: Readiness
    private let tracer: Tracer

    private var breaker = CircuitBreaker()
    private var reader = LivescoresReader()
    private var nextPoll: NextPoll
    private var random = SystemRandomNumberGenerator()
    private var senders: [MatchID: FrameSender] = [:]
    private let busStates = BusStates()
    private var missing = MissingMatches()
    private var missingReads: Task<Void, Never>?
    /// The fixtures of the last answer; nil before the first one since this process acquired the group.
    private var lastFixtures: [SlimFixture]?
    /// The answer before the last one.
    private var fixturesBefore: [SlimFixture]?
    /// When the last answer came, by the database's clock in seconds since 1970.
    private var lastAnswerAt = 0
    /// For how long the provider has answered since this process acquired the group.
    private var answered = AnsweredTime()
    /// Matches that nobody reports any more, which make no poll come sooner.
    private var silent: Set<MatchID> = []
    /// Whether the schedule has a match that is about to begin.
    private var startsSoon = false
    /// The calls that were left when the last call was granted.
    private var allowance: CallGrant?
    private var lastSuccess: ContinuousClock.Instant?
    private let problems = OncePer<String>()

    init(
        group: PollGroup, configuration: ScorePollerConfiguration, provider: ProviderClient, leases: LeaseKeeper,
        pool: PostgresPool, buses: WireDirectory, logger: Logger, readiness: Readiness, tracer: Tracer
    ) {
        self.group = group
        self.configuration = configuration
        self.provider = provider
        self.leases = leases
        self.pool = pool
        self.buses = buses
        var logger = logger
        logger[metadataKey: "poll.group"] = "\(group.name)"
        self.logger = logger
        self.readiness = readiness
        self.tracer = tracer
        calls = ProviderCallStore(pool: pool)
        nextPoll = NextPoll(usual: configuration.schedule.usual)
    }

    /// Polls until cancelled.
    func run() async {
        defer { missingReads?.cancel() }
        while !Task.isCancelled {
            let hasToWait = await leases.lease(for: .poll(group.name)) == nil
            if hasToWait {
                // The poller that holds the group reports on the provider.
                readiness.remove(readinessName)
                logger.info("Waiting for the lease of the poll group: another poller may have it")
            }
            guard let lease = await leases.waitForLease(.poll(group.name)) else { return }
            if hasToWait {
                lastFixtures = nil
                fixturesBefore = nil
                answered = AnsweredTime()
                logger.notice("This poller polls the group", metadata: ["epoch": "\(lease.epoch)"])
            }
            guard lease.isTrusted else {
                try? await Task.sleep(for: .milliseconds(100))
                continue
            }
            let began = ContinuousClock.now
            let outcome = await poll(at: began)
            if outcome != .answered { answered.stopped() }
            let next = nextPoll.after(
                outcome, began: began, now: .now, interval: interval, isLive: isLive, using: &random)
            await sleep(until: next)
        }
    }
    /// Notes a new bus, which has seen no frame.
    func busConnected(_ bus: String) async {
        busStates.noteAnswer(of: bus)
        for sender in senders.values { await sender.busConnected() }
    }

    /// The schedule's interval, or a longer one when the hour's calls would not last.
    private var interval: Duration {
        let wanted = configuration.schedule.interval(
            after: reported, before: fixturesBefore, startsSoon: startsSoon, at: lastAnswerAt)
        guard let allowance else { return wanted }
        return CallPacing.interval(
            usual: wanted, left: allowance.left, hourLeft: allowance.hourLeft, callers: configuration.groups.count)
    }

    /// Whether a match is live; before the first answer one may be.
    private var isLive: Bool { lastFixtures == nil || PollSchedule.isLive(reported, at: lastAnswerAt) }

    /// The matches of the last answer that are still reported.
    private var reported: [SlimFixture] { (lastFixtures ?? []).filter { !silent.contains($0.matchID) } }

    private func sleep(until next: ContinuousClock.Instant) async {
        while !Task.isCancelled, .now < next {
            try? await Task.sleep(until: min(next, .now + Self.reportInterval))
            reportAge()
        }
    }

    // MARK: - One poll

    private func poll(at began: ContinuousClock.Instant) async -> NextPoll.Outcome {
        if let until = breaker.closedUntil(at: began) {
            count(.breakerOpen)
            return .skipped(until: until)
        }
        do {
            let grant = try await take(.livescores)
            allowance = grant
            guard grant.isGranted else {
                count(.overBudget)
                return .overBudget(wait: grant.wait)
            }
            _ = breaker.allowsCall(at: .now)
            let (answer, poll) = try await livescores()
            if grant.refusals > 0 { try? await calls.answered(.livescores) }
            succeeded(answer, at: grant.now)
            await distribute(answer.fixtures, fetchedAt: grant.now, isListed: true, poll)
            readMissingInBackground(present: Set(answer.fixtures.map(\.matchID)))
            return .answered
        } catch {
            return await failed(error, at: began)
        }
    }

    private func livescores() async throws -> (LivescoresAnswer, HeldSpan) {
        var span = beginPoll()
        let body = try await provider.livescores(leagues: group.leagues)
        span.endedAt = Span.now
        Recorder(label: "sightscreen_provider_answer_bytes").record(body.count)
        let answer: LivescoresAnswer
        do { answer = try reader.read(body) } catch { throw ProviderClient.Failure.unusable(error) }
        return (answer, held(span, bytes: body.count, matches: answer.fixtures.count))
    }
    /// The span of one call of the provider; each begins a trace.
    private func beginPoll() -> Span {
        var span = tracer.begin("poll", .client, under: nil)
        span["poll.group"] = .string(group.name)
        return span
    }

    private func held(_ span: Span, bytes: Int, matches: Int) -> HeldSpan {
        var span = span
        span["poll.bytes"] = .int(bytes)
        span["poll.matches"] = .int(matches)
        return HeldSpan(span, of: tracer)
    }

    private func succeeded(_ answer: LivescoresAnswer, at fetchedAt: Int64) {
        breaker.succeeded()
        lastSuccess = .now
        fixturesBefore = lastFixtures
        lastFixtures = answer.fixtures
        lastAnswerAt = Int(fetchedAt / 1_000)
        answered.answered(at: fetchedAt)
        readiness.degrade(readinessName, nil)
        let wasSilent = problems.clear("budget")
        if problems.clear("provider") || wasSilent { logger.info("The provider answers again") }
        for problem in answer.problems where problems.hasChanged("\(problem)", for: "problem \(problem)") {
            logger.warning("Part of the provider's answer was left out", metadata: ["problem": "\(problem)"])
        }
        count(.ok)
        reportAge()
    }

    private func failed(_ error: any Error, at began: ContinuousClock.Instant) async -> NextPoll.Outcome {
        guard let failure = error as? ProviderClient.Failure else {
            // The cause is the database or a cancellation, not the provider, and a trial call has shown nothing.
            if breaker.state == .halfOpen { breaker.failed(at: began, isLive: isLive) }
            if !Task.isCancelled { warn("A poll failed", "\(ErrorChain.describe(error))", about: "provider") }
            count(.error)
            return .failed
        }
        if case .overLimit(let retryAfter) = failure {
            // The provider answers, so the breaker closes; the wait applies to every caller.
            breaker.succeeded()
            count(.refused)
            return .overBudget(wait: await refused(.livescores, retryAfter))
        }
        breaker.failed(at: began, isLive: isLive)
        if case .open = breaker.state { readiness.degrade(readinessName, "\(failure)") }
        warn("The provider gave no usable answer; the last scores stay", "\(failure)", about: "provider")
        count(.failed)
        return .failed
    }

    // MARK: - The allowance

    private func take(_ endpoint: ProviderEndpoint, share: Double = 1) async throws -> CallGrant {
        let grant = try await calls.take(endpoint, limit: configuration.hourlyLimit, share: share)
        if let left = grant.left {
            Gauge(label: "sightscreen_provider_calls_left", dimensions: [("endpoint", endpoint.rawValue)]).record(left)
        }
        if !grant.isGranted {
            warn(
                grant.isFromProvider
                    ? "The provider has asked for silence" : "The provider's allowance for this hour is used up",
                endpoint.rawValue, about: "budget")
        }
        return grant
    }

    /// Records a 429 of the provider.
    ///
    /// - Returns: the time for which no process calls.
    private func refused(_ endpoint: ProviderEndpoint, _ retryAfter: Duration?) async -> Duration {
        do {
            let wait = try await calls.refused(endpoint, limit: configuration.hourlyLimit, retryAfter: retryAfter)
            warn(
                "The provider answered 429; nobody calls it for a while",
                "\(endpoint.rawValue), \(Int((wait / .seconds(1)).rounded(.up))) s", about: "budget")
            return wait
        } catch {
            warn("A refusal cannot be written down", "\(ErrorChain.describe(error))", about: "budget")
            return retryAfter ?? NextPoll.longestBudgetWait
        }
    }

    // MARK: - Frames

    /// - Returns: whether a fixture shows a change.
    @discardableResult
    private func distribute(
        _ fixtures: [SlimFixture], fetchedAt: Int64, isListed: Bool, _ poll: HeldSpan
    ) async -> Bool {
        var isChanged = false
        for match in fixtures.map(\.matchID) where senders[match] == nil {
            senders[match] = FrameSender(
                match: match, buses: buses, busStates: busStates, logger: logger, tracer: tracer
            ) {
                [leases, group] in await leases.lease(for: .poll(group.name)) != nil
            }
        }
        await rebalance()
        for fixture in fixtures {
            let match = fixture.matchID
            guard let sender = senders[match] else { continue }
            let frame = ScoreFrame(
                matchID: match, fetchedAt: fetchedAt, previousFetchedAt: nil, answeredMs: answered.milliseconds,
                isListed: isListed, fixture: fixture)
            if await sender.fetched(frame, by: poll) { isChanged = true }
        }
        return isChanged
    }
    /// Distributes matches over the buses in a fixed order.
    private func rebalance() async {
        let known = await buses.instances()
        var holders: [MatchID: String?] = [:]
        for (match, sender) in senders { holders[match] = .some(await sender.holder) }
        for bus in busStates.overdue(of: known) {
            Task { [buses, busStates] in if await buses.isAlive(bus) { busStates.noteAnswer(of: bus) } }
        }
        let plan = MatchDistribution(holders, buses: known, refusing: busStates.refusing, silent: busStates.silent)
        for (match, bus) in plan.homes { await senders[match]?.settle(at: bus) }
        for (match, bus) in plan.moves {
            guard let sender = senders[match], let holder = await sender.holder else { continue }
            guard !busStates.refusing.contains(holder) else { continue }
            if await !sender.move(to: bus) { busStates.noteRefusal(by: holder) }
        }
    }
    /// Reads missing matches beside the polls, so that a slow answer delays no poll.
    private func readMissingInBackground(present: Set<MatchID>) {
        guard missingReads == nil else { return }
        missingReads = Task {
            await readMissing(present: present)
            missingReads = nil
        }
    }

    /// Reads open matches that are not on the live list. A match leaves the list when it is over, sometimes before its
    /// last state was seen, and is read by itself until the bus has settled it.
    private func readMissing(present: Set<MatchID>) async {
        let open: [MatchID]
        do {
            startsSoon = try await hasStartSoon()
            silent = try await silentMatches()
            open = try await openMatches()
            problems.clear("open")
        } catch {
            return warn("Open matches cannot be read", "\(ErrorChain.describe(error))", about: "open")
        }
        let absent = open.filter { !present.contains($0) }
        senders = senders.filter { present.contains($0.key) || absent.contains($0.key) }
        for match in missing.due(absent, at: .now) {
            guard await read(match) else { return }
        }
    }

    /// - Returns: false when no more calls may be made now.
    private func read(_ match: MatchID) async -> Bool {
        let trouble = "match \(match)"
        do {
            let grant = try await take(.fixtures, share: Self.fixturesShare)
            guard grant.isGranted else { return false }
            var span = beginPoll()
            let body = try await provider.fixture(match.rawValue)
            span.endedAt = Span.now
            if grant.refusals > 0 { try? await calls.answered(.fixtures) }
            let fixture: SlimFixture
            do { fixture = try FixtureAnswer.fixture(from: body) } catch {
                throw ProviderClient.Failure.unusable(error)
            }
            problems.clear(trouble)
            // With several groups, another group's match is not for this one.
            let isOurs = group.leagues.isEmpty || group.leagues.contains(fixture.leagueID ?? 0)
            let poll = held(span, bytes: body.count, matches: 1)
            let isChanged = isOurs ? await distribute([fixture], fetchedAt: grant.now, isListed: false, poll) : false
            missing.tried(match, isChanged: isChanged, at: .now)
            return true
        } catch ProviderClient.Failure.overLimit(let retryAfter) {
            _ = await refused(.fixtures, retryAfter)
            return false
        } catch {
            missing.tried(match, isChanged: false, at: .now)
            guard !Task.isCancelled else { return false }
            warn(
                "A match that left the live list cannot be read", "\(match): \(ErrorChain.describe(error))",
                about: trouble)
            // Without any answer, the other matches would wait for one in vain, too.
            if case ProviderClient.Failure.noAnswer = error { return false }
            return true
        }
    }

    private func openMatches() async throws -> [MatchID] {
        try await pool.query(
            """
            SELECT m.match_id FROM active_matches m LEFT JOIN fixtures f USING (match_id)
            WHERE m.ended_at IS NULL AND m.settled_at IS NULL
                AND m.display_state NOT IN ('scheduled', 'completed', 'abandoned')
                AND (cardinality($1::bigint[]) = 0 OR f.league_id IS NULL OR f.league_id = ANY ($1::bigint[]))
            ORDER BY m.match_id LIMIT 500
            """, [.intArray(group.leagues)]
        ).map { MatchID(try $0.int64("match_id")) }
    }

    private func silentMatches() async throws -> Set<MatchID> {
        let rows = try await pool.query("SELECT match_id FROM active_matches WHERE end_reason = 'silent'")
        return Set(try rows.map { MatchID(try $0.int64("match_id")) })
    }

    /// Whether a match of the schedule begins soon or should have begun: its toss is half an hour before.
    private func hasStartSoon() async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (
                SELECT FROM fixtures AS f
                WHERE \(FixtureSQL.hasNotStarted("f.status")) AND f.missing_since IS NULL
                    AND f.starts_at BETWEEN clock_timestamp() - interval '1 hour'
                        AND clock_timestamp() + interval '40 minutes'
                    AND (cardinality($1::bigint[]) = 0 OR f.league_id = ANY ($1::bigint[]))) AS starts
            """, [.intArray(group.leagues)])[0].bool("starts")
    }

    // MARK: - Readiness, metrics and logs

    private var readinessName: String { group.leagues.isEmpty ? "provider" : "provider \(group.name)" }

    private func warn(_ message: Logger.Message, _ reason: String, about: String) {
        guard problems.hasChanged("\(message) \(reason)", for: about) else { return }
        logger.warning(message, metadata: ["reason": "\(reason)"])
    }

    /// The values of the label `outcome` of `sightscreen_polls_total`.
    private enum PollOutcome: String, CaseIterable {
        /// `failed`: no usable answer. `error`: the database's fault, not the provider's. `refused`: a 429.
        case ok, failed, error, refused, overBudget, breakerOpen
    }

    /// Counters start at 0, so that an alert on their growth sees the first event, too.
    static func beginCounters() { for outcome in PollOutcome.allCases { count(outcome, by: 0) } }

    private func count(_ outcome: PollOutcome) { Self.count(outcome, by: 1) }

    private static func count(_ outcome: PollOutcome, by count: Int64) {
        Counter(label: "sightscreen_polls_total", dimensions: [("outcome", outcome.rawValue)]).increment(by: count)
    }

    private func reportAge() {
        guard let lastSuccess else { return }
        Gauge(label: "sightscreen_poll_age_seconds", dimensions: [("group", group.name)])
            .record((ContinuousClock.now - lastSuccess) / .seconds(1))
    }
}
