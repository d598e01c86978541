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
    /// What time alone changes is reported at least this often.
    private static let reportEvery = Duration.seconds(5)
    /// Of the calls to `/fixtures`: the orchestrator's schedule has the rest to itself.
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
    private var couriers: [MatchID: FrameCourier] = [:]
    private let marks = BusMarks()
    private var missing = MissingMatches()
    private var missingReads: Task<Void, Never>?
    /// Nil before the first answer since the group came here.
    private var lastFixtures: [SlimFixture]?
    /// What was left when the last call was granted.
    private var allowance: CallGrant?
    private var lastSuccess: ContinuousClock.Instant?
    private let troubles = OncePer<String>()

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

    /// Until cancelled.
    func run() async {
        defer { missingReads?.cancel() }
        while !Task.isCancelled {
            let hasToWait = await leases.lease(for: .poll(group.name)) == nil
            if hasToWait { logger.info("Waiting for the lease of the poll group: another poller may have it") }
            guard let lease = await leases.waitForLease(.poll(group.name)) else { return }
            if hasToWait {
                lastFixtures = nil
                logger.notice("This poller polls the group", metadata: ["epoch": "\(lease.epoch)"])
            }
            guard lease.isTrusted else {
                // Whoever polls this group now knows how the provider is.
                readiness.remove(readinessName)
                try? await Task.sleep(for: .milliseconds(100))
                continue
            }
            let began = ContinuousClock.now
            let outcome = await poll(at: began)
            let next = nextPoll.after(
                outcome, began: began, now: .now, interval: interval, isLive: isLive, using: &random)
            await sleep(until: next)
        }
    }

    /// A bus came that has seen no frame.
    func busCame(_ bus: String) async {
        marks.noteLife(of: bus)
        for courier in couriers.values { await courier.busCame() }
    }

    /// What the schedule wants, or rarer when the hour's calls would not last.
    private var interval: Duration {
        let wanted = configuration.schedule.interval(after: lastFixtures ?? [])
        guard let allowance else { return wanted }
        return CallPacing.interval(
            usual: wanted, left: allowance.left, hourLeft: allowance.hourLeft, callers: configuration.groups.count)
    }

    /// Until the first answer one may be.
    private var isLive: Bool { lastFixtures.map { PollSchedule.isLive($0) } ?? true }

    private func sleep(until next: ContinuousClock.Instant) async {
        while !Task.isCancelled, .now < next {
            try? await Task.sleep(until: min(next, .now + Self.reportEvery))
            reportAge()
        }
    }

    // MARK: - One poll

    private func poll(at began: ContinuousClock.Instant) async -> NextPoll.Outcome {
        if let until = breaker.closedUntil(at: began) {
            count("breakerOpen")
            return .spared(until: until)
        }
        do {
            let grant = try await take(.livescores)
            allowance = grant
            guard grant.isGranted else {
                count("overBudget")
                return .overBudget(wait: grant.wait)
            }
            _ = breaker.allowsCall(at: .now)
            let (answer, poll) = try await livescores()
            if grant.refusals > 0 { try? await calls.answered(.livescores) }
            succeeded(answer)
            await distribute(answer.fixtures, fetchedAt: grant.now, poll)
            readMissingBeside(present: Set(answer.fixtures.map(\.matchID)))
            return .answered
        } catch {
            return await failed(error, at: began)
        }
    }

    private func livescores() async throws -> (LivescoresAnswer, HeldSpan) {
        var span = begunPoll()
        let body = try await provider.livescores(leagues: group.leagues)
        span.endedAt = Span.now
        Recorder(label: "sightscreen_provider_answer_bytes").record(body.count)
        let answer: LivescoresAnswer
        do { answer = try reader.read(body) } catch { throw ProviderClient.Failure.unusable(error) }
        return (answer, held(span, bytes: body.count, matches: answer.fixtures.count))
    }

    /// Of a call of the provider: each begins a trace.
    private func begunPoll() -> Span {
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

    private func succeeded(_ answer: LivescoresAnswer) {
        breaker.succeeded()
        lastSuccess = .now
        lastFixtures = answer.fixtures
        readiness.set(readinessName, true)
        let wasSilent = troubles.clear("budget")
        if troubles.clear("provider") || wasSilent { logger.info("The provider answers again") }
        for problem in answer.problems where troubles.isNews("\(problem)", for: "problem \(problem)") {
            logger.warning("Part of the provider's answer was left out", metadata: ["problem": "\(problem)"])
        }
        count("ok")
        reportAge()
    }

    private func failed(_ error: any Error, at began: ContinuousClock.Instant) async -> NextPoll.Outcome {
        guard let failure = error as? ProviderClient.Failure else {
            // The database or a cancellation: nothing the provider did, and its trial call told nothing.
            if breaker.state == .halfOpen { breaker.failed(at: began, isLive: isLive) }
            if !Task.isCancelled { complain("A poll failed", "\(ErrorChain.describe(error))", about: "provider") }
            count("error")
            return .failed
        }
        if case .overLimit(let retryAfter) = failure {
            // It answers, so the breaker has nothing to spare it; the wait is for everybody.
            breaker.succeeded()
            count("refused")
            return .overBudget(wait: await refused(.livescores, retryAfter))
        }
        breaker.failed(at: began, isLive: isLive)
        if case .open = breaker.state { readiness.set(readinessName, false, reason: "\(failure)") }
        complain("The provider gave no usable answer; the last scores stay", "\(failure)", about: "provider")
        count("failed")
        return .failed
    }

    // MARK: - The allowance

    private func take(_ endpoint: ProviderEndpoint, share: Double = 1) async throws -> CallGrant {
        let grant = try await calls.take(endpoint, limit: configuration.hourlyLimit, share: share)
        if let left = grant.left {
            Gauge(label: "sightscreen_provider_calls_left", dimensions: [("endpoint", endpoint.rawValue)]).record(left)
        }
        if !grant.isGranted {
            complain(
                grant.isProvidersWord
                    ? "The provider has asked for silence" : "The provider's allowance for this hour is used up",
                endpoint.rawValue, about: "budget")
        }
        return grant
    }

    /// The provider said 429.
    /// - Returns: how long nobody calls.
    private func refused(_ endpoint: ProviderEndpoint, _ retryAfter: Duration?) async -> Duration {
        do {
            let wait = try await calls.refused(endpoint, limit: configuration.hourlyLimit, retryAfter: retryAfter)
            complain(
                "The provider answered 429; nobody calls it for a while",
                "\(endpoint.rawValue), \(Int((wait / .seconds(1)).rounded(.up))) s", about: "budget")
            return wait
        } catch {
            complain("A refusal cannot be written down", "\(ErrorChain.describe(error))", about: "budget")
            return retryAfter ?? NextPoll.longestBudgetWait
        }
    }

    // MARK: - Frames

    /// - Returns: whether any of them tells something new.
    @discardableResult
    private func distribute(_ fixtures: [SlimFixture], fetchedAt: Int64, _ poll: HeldSpan) async -> Bool {
        var isNews = false
        for match in fixtures.map(\.matchID) where couriers[match] == nil {
            couriers[match] = FrameCourier(match: match, buses: buses, marks: marks, logger: logger, tracer: tracer) {
                [leases, group] in await leases.lease(for: .poll(group.name)) != nil
            }
        }
        await spread()
        for fixture in fixtures {
            let match = fixture.matchID
            guard let courier = couriers[match] else { continue }
            let frame = ScoreFrame(
                matchID: match, fetchedAt: fetchedAt, previousFetchedAt: nil, fixture: fixture)
            if await courier.fetched(frame, by: poll) { isNews = true }
        }
        return isNews
    }

    /// Matches in order, so that buses that come or go share them evenly.
    private func spread() async {
        let known = await buses.instances()
        var holders: [MatchID: String?] = [:]
        for (match, courier) in couriers { holders[match] = .some(await courier.holder) }
        for bus in marks.overdue(of: known) {
            Task { [buses, marks] in if await buses.isAlive(bus) { marks.noteLife(of: bus) } }
        }
        let spread = MatchSpread(holders, buses: known, keeping: marks.keeping, silent: marks.silent)
        for (match, bus) in spread.homes { await couriers[match]?.settle(at: bus) }
        for (match, bus) in spread.moves {
            guard let courier = couriers[match], let holder = await courier.holder else { continue }
            guard !marks.keeping.contains(holder) else { continue }
            if await !courier.move(to: bus) { marks.noteKeeping(by: holder) }
        }
    }

    /// Beside the polls: a provider that is slow to answer for one match keeps no other waiting.
    private func readMissingBeside(present: Set<MatchID>) {
        guard missingReads == nil else { return }
        missingReads = Task {
            await readMissing(present: present)
            missingReads = nil
        }
    }

    /// A match leaves the live list when it is over, sometimes before its last state was seen: it is read by itself until
    /// the bus has settled it.
    private func readMissing(present: Set<MatchID>) async {
        let open: [MatchID]
        do {
            open = try await openMatches()
            troubles.clear("open")
        } catch {
            return complain("Open matches cannot be read", "\(ErrorChain.describe(error))", about: "open")
        }
        let absent = open.filter { !present.contains($0) }
        couriers = couriers.filter { present.contains($0.key) || absent.contains($0.key) }
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
            var span = begunPoll()
            let body = try await provider.fixture(match.rawValue)
            span.endedAt = Span.now
            if grant.refusals > 0 { try? await calls.answered(.fixtures) }
            let fixture: SlimFixture
            do { fixture = try FixtureAnswer.fixture(from: body) } catch {
                throw ProviderClient.Failure.unusable(error)
            }
            troubles.clear(trouble)
            // With groups, a match of another group is somebody else's.
            let isOurs = group.leagues.isEmpty || group.leagues.contains(fixture.leagueID ?? 0)
            let poll = held(span, bytes: body.count, matches: 1)
            let isNews = isOurs ? await distribute([fixture], fetchedAt: grant.now, poll) : false
            missing.tried(match, isNews: isNews, at: .now)
            return true
        } catch ProviderClient.Failure.overLimit(let retryAfter) {
            _ = await refused(.fixtures, retryAfter)
            return false
        } catch {
            missing.tried(match, isNews: false, at: .now)
            guard !Task.isCancelled else { return false }
            complain(
                "A match that left the live list cannot be read", "\(match): \(ErrorChain.describe(error))",
                about: trouble)
            // Without any answer the others would wait for one in vain too.
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

    // MARK: - What people see

    private var readinessName: String { group.leagues.isEmpty ? "provider" : "provider \(group.name)" }

    private func complain(_ message: Logger.Message, _ reason: String, about: String) {
        guard troubles.isNews("\(message) \(reason)", for: about) else { return }
        logger.warning(message, metadata: ["reason": "\(reason)"])
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
