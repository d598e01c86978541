import Cricket
import Logging
import Postgres
import ServiceKit
import SightscreenModels
import SportMonks
import Store
import TestKit
import Testing

@testable import MatchOrchestrator

@Suite struct FixtureSyncTests {
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private func schedule(
        _ provider: StubProvider, _ pool: PostgresPool, hourlyLimit: Int = 0
    ) throws -> SportMonksSchedule {
        let settings = try Settings(
            environment: [
                "SIGHTSCREEN_STAND_INS": "1", "SPORTMONKS_URL": "http://127.0.0.1:\(provider.port)/api/v2.0",
                "SPORTMONKS_API_TOKEN": "se&cret/1", "DATABASE_URL": "postgresql://x@/x",
            ], arguments: [], service: MatchOrchestratorConfiguration.service)
        let ours = try MatchOrchestratorConfiguration(settings)
        return SportMonksSchedule(
            url: ours.providerURL, token: ours.providerToken, allowsHTTP: ours.allowsHTTP,
            calls: ProviderCallStore(pool: pool), hourlyLimit: hourlyLimit)
    }

    private static func logoHosts(_ names: String? = nil) throws -> LogoHosts {
        let settings = try Settings(
            environment: names.map { ["LOGO_HOSTS": $0] } ?? [:], arguments: [],
            service: MatchOrchestratorConfiguration.service)
        return try LogoHosts(settings)
    }

    @Test(arguments: [
        (nil, true), ("cdn.sportmonks.com", true), ("a.example, CDN.sportmonks.com", true), ("sportmonks.com", false),
        ("none", false),
    ])
    func aLogoIsOnlyTakenFromTheHostsThatAreNamed(_ names: String?, isTaken: Bool) async throws {
        let provider = try StubProvider([.init(body: ScheduleFixtures.page([ScheduleFixtures.fixture(71_344)]))])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let sync = FixtureSync(
                source: try schedule(provider, pool), store: FixtureStore(pool: pool), hourlyLimit: 0,
                logoHosts: try Self.logoHosts(names), logger: logger)
            await sync.runOnce(under: lease)
            let row = try #require(try await pool.query("SELECT home_logo, home_code FROM fixtures").first)
            #expect(try row.isNull("home_logo") != isTaken)
            #expect(try row.string("home_code") == "PAK", "the match is there either way")
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "printer.local", "[::1]", "cdn.example:8443", "a@b.example", "a b"])
    func whatIsNoHostOnTheInternetIsNoSetting(_ name: String) {
        #expect(throws: ConfigurationError.self) { try Self.logoHosts(name) }
    }

    @Test func readsAllPagesOfTheSchedule() async throws {
        let provider = try StubProvider([
            .init(body: ScheduleFixtures.page([ScheduleFixtures.fixture(1)], page: 1, of: 2)),
            .init(body: ScheduleFixtures.page([ScheduleFixtures.fixture(2)], page: 2, of: 2)),
        ])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let span = try await schedule(provider, pool).fixtures(from: 1_790_000_000, to: 1_790_200_000)
            #expect(span.fixtures.map(\.id) == [1, 2])
            #expect(span.calls == 2)
        }
        let target = try #require(provider.targets.first)
        #expect(target.hasPrefix("/api/v2.0/fixtures?api_token=se%26cret%2F1&include=localteam,visitorteam,"))
        #expect(target.hasSuffix("&filter%5Bstarts_between%5D=2026-09-21,2026-09-23&page=1"))
        #expect(provider.targets.last?.hasSuffix("&page=2") == true)
    }

    @Test(arguments: [
        (429, "{\"message\":\"Too Many Attempts.\"}"), (500, ""), (200, "<html>maintenance</html>"), (200, "{}"),
    ])
    func aBadAnswerIsAnErrorThatDoesNotShowTheToken(_ status: Int, _ body: String) async throws {
        let provider = try StubProvider([.init(status: status, body: body)])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let source = try schedule(provider, pool)
            await #expect { _ = try await source.fixtures(from: 0, to: 86_400) } throws: { !"\($0)".contains("cret") }
        }
    }

    @Test func makesNoCallThatTheAllowanceDoesNotHave() async throws {
        let provider = try StubProvider([.init(body: ScheduleFixtures.page([ScheduleFixtures.fixture(1)]))])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let source = try schedule(provider, pool, hourlyLimit: 2)
            for _ in 0..<2 { _ = try await source.fixtures(from: 0, to: 86_400) }
            await #expect { _ = try await source.fixtures(from: 0, to: 86_400) } throws: {
                "\($0)" == "the provider's allowance for this hour is used up"
            }
            #expect(provider.targets.count == 2)
        }
    }

    @Test func aRefusalKeepsEverybodyQuiet() async throws {
        let provider = try StubProvider([.init(status: 429, body: "{}"), .init(body: ScheduleFixtures.page([]))])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            await #expect(throws: ScheduleError.self) {
                _ = try await schedule(provider, pool, hourlyLimit: 2_000).fixtures(from: 0, to: 86_400)
            }
            let other = try await ProviderCallStore(pool: pool).take(.fixtures, limit: 2_000)
            #expect(!other.isGranted && other.isFromProvider)
            #expect(other.wait > .seconds(50) && other.wait <= .seconds(60))
        }
    }

    @Test func writesTheScheduleAndSurvivesABadAnswer() async throws {
        let provider = try StubProvider([
            .init(body: ScheduleFixtures.page([ScheduleFixtures.fixture(71_344), ScheduleFixtures.fixture(2)])),
            .init(body: "<html>down</html>"),
            .init(body: ScheduleFixtures.page([ScheduleFixtures.fixture(71_344, status: "1st Innings")])),
        ])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let source = try schedule(provider, pool)
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let readiness = Readiness()
            let sync = FixtureSync(
                source: source, store: FixtureStore(pool: pool), hourlyLimit: 0, logoHosts: try Self.logoHosts(),
                logger: logger, readiness: readiness)
            await sync.runOnce(under: lease)
            #expect(await sync.completed == 1)
            #expect(readiness.degraded.isEmpty)
            let row = try #require(try await pool.query("SELECT * FROM fixtures WHERE match_id = 71344").first)
            #expect(try row.string("competition") == "Twenty20 International")
            #expect(try row.string("format") == "twenty20")
            #expect(try row.string("home_code") == "PAK")
            #expect(try row.string("home_logo") == "https://cdn.sportmonks.com/images/cricket/teams/1/1.png")
            #expect(try row.isNull("away_logo"))
            #expect(try row.string("away_name") == "Sri Lanka")
            #expect(try row.string("venue") == "Gaddafi Stadium")
            #expect(try row.string("status") == "NS")
            #expect(try row.string("starts_at") == "2026-10-09 13:00:00+00")

            await sync.runOnce(under: lease)
            #expect(await sync.completed == 1)
            #expect(readiness.isReady && readiness.degraded.map(\.name) == ["provider"])
            await sync.runOnce(under: lease)
            #expect(await sync.completed == 2)
            #expect(readiness.degraded.isEmpty)
            let status = try await pool.query("SELECT status FROM fixtures WHERE match_id = 71344").first
            #expect(try status?.string("status") == "1st Innings")
            // Only days that were asked for are judged, and this one lies in another month.
            #expect(try await pool.query("SELECT 1 FROM fixtures WHERE missing_since IS NOT NULL").isEmpty)
        }
    }

    @Test func marksWhatTheProviderNoLongerLists() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let now = try await FixtureStore(pool: pool).now()
            let source = PlannedSource([
                [slim(1, now), slim(2, now)], [slim(1, now)], [], [slim(1, now), slim(2, now)],
            ])
            let sync = FixtureSync(
                source: source, store: FixtureStore(pool: pool), hourlyLimit: 0, logoHosts: try Self.logoHosts(),
                logger: logger)
            await sync.runOnce(under: lease)
            #expect(try await missing(pool) == [])
            await sync.runOnce(under: lease)
            #expect(try await missing(pool) == [2])
            // Nothing at all is an outage.
            await sync.runOnce(under: lease)
            #expect(try await missing(pool) == [2])
            await sync.runOnce(under: lease)
            #expect(try await missing(pool) == [])
        }
    }

    /// A row that cannot be read names its match, or could be any.
    @Test(arguments: [true, false])
    func aRowThatCannotBeReadHidesNotThatOthersVanished(isNamed: Bool) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let now = try await FixtureStore(pool: pool).now()
            let source = PlannedSource(spans: [
                FixtureSpan(fixtures: [slim(1, now), slim(2, now), slim(3, now)], calls: 1),
                FixtureSpan(
                    fixtures: [slim(1, now)], named: isNamed ? [MatchID(2)] : [], namesAll: isNamed,
                    problems: ["a row"],
                    calls: 1),
            ])
            let sync = FixtureSync(
                source: source, store: FixtureStore(pool: pool), hourlyLimit: 0, logoHosts: try Self.logoHosts(),
                logger: logger)
            await sync.runOnce(under: lease)
            try await pool.execute("UPDATE fixtures SET missing_since = now() WHERE match_id = 2")
            await sync.runOnce(under: lease)
            #expect(try await missing(pool) == (isNamed ? [3] : [2]))
        }
    }

    @Test func aFinalWhoseSidesAreOpenIsInTheSchedule() async throws {
        let known = ScheduleFixtures.fixture(1)
        let one = ScheduleFixtures.fixture(2).replacing("\"id\":39,", with: "\"id\":1,").replacing(
            "\"visitorteam_id\":39", with: "\"visitorteam_id\":1")
        let open = ScheduleFixtures.fixture(3).replacing("\"visitorteam_id\":39", with: "\"visitorteam_id\":null")
            .replacing(
                "\"visitorteam\":{\"resource\":\"teams\",\"id\":39,\"name\":\"Sri Lanka\",\"code\":\"SL\"}",
                with: "\"visitorteam\":null")
        let provider = try StubProvider([.init(body: ScheduleFixtures.page([known, one, open]))])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let sync = FixtureSync(
                source: try schedule(provider, pool), store: FixtureStore(pool: pool), hourlyLimit: 0,
                logoHosts: try Self.logoHosts(), logger: logger)
            await sync.runOnce(under: lease)
            let sides = try await pool.query(
                "SELECT concat_ws(' ', home_id, home_code, away_id, away_code) AS sides FROM fixtures ORDER BY match_id"
            )
            #expect(try sides.map { try $0.string("sides") } == ["1 PAK 39 SL", "1 PAK 1 SL", "1 PAK 0 TBC"])
        }
    }

    /// Moved by weeks, it is no longer in the window; an answer says to which day, or that it is not there.
    @Test(arguments: [true, false])
    func aFollowedMatchOutsideTheWindowIsAskedForByItself(isThere: Bool) async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let store = FixtureStore(pool: pool)
            let now = try await store.now()
            let moved = slim(2, now + 20 * SyncPlan.day)
            let source = PlannedSource(
                [[slim(1, now), slim(2, now), slim(3, now)]] + (0..<3).map { _ in [slim(1, now)] },
                alone: isThere ? [MatchID(2): .fixture(moved)] : [:])
            let sync = FixtureSync(
                source: source, store: store, hourlyLimit: 0, logoHosts: try Self.logoHosts(), logger: logger)
            try await pool.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('asha', 2)")
            for _ in 0..<4 { await sync.runOnce(under: lease) }
            #expect(await source.asked == [MatchID(2)], "once, and 3 is not followed")
            #expect(try await missing(pool) == (isThere ? [3] : [2, 3]))
            let starts = try await pool.query(
                "SELECT extract(epoch FROM starts_at)::bigint AS at FROM fixtures WHERE match_id = 2")
            #expect(try starts.map { try $0.int("at") } == [isThere ? now + 20 * SyncPlan.day : now])
        }
    }

    @Test func aMatchThatIsThereAndNotListedIsNotMissing() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let lease = try #require(
                try await LeaseStore(pool: pool).acquire([.orchestrator], holder: "t/1", duration: .seconds(60)).first)
            let store = FixtureStore(pool: pool)
            let now = try await store.now()
            let source = PlannedSource(
                [[slim(1, now), slim(2, now)]] + (0..<3).map { _ in [slim(1, now)] },
                alone: [MatchID(2): .fixture(slim(2, now))])
            let sync = FixtureSync(
                source: source, store: store, hourlyLimit: 0, logoHosts: try Self.logoHosts(), logger: logger)
            try await pool.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('asha', 2)")
            for _ in 0..<4 { await sync.runOnce(under: lease) }
            #expect(try await missing(pool) == [])
            #expect(await source.asked.count == 1)
        }
    }

    @Test func oneFixtureIsAskedForByItsID() async throws {
        let provider = try StubProvider([
            .init(body: "{\"data\":\(ScheduleFixtures.fixture(7))}"), .init(body: "{\"data\":{\"localteam_id\":1}}"),
            .init(status: 404, body: "{}"), .init(status: 500, body: ""),
        ])
        defer { provider.stop() }
        try await withDatabase { (pool: PostgresPool) async throws in
            let source = try schedule(provider, pool)
            guard case .fixture(let fixture) = try await source.fixture(MatchID(7)) else {
                Issue.record("no fixture")
                return
            }
            #expect(fixture.id == 7)
            guard case .unread = try await source.fixture(MatchID(7)) else {
                Issue.record("it was read")
                return
            }
            #expect(try await source.fixture(MatchID(7)).isNotFound)
            await #expect(throws: ScheduleError.self) { _ = try await source.fixture(MatchID(7)) }
        }
        #expect(
            provider.targets.allSatisfy {
                $0.hasPrefix("/api/v2.0/fixtures/7?api_token=se%26cret%2F1&include=localteam")
            })
    }

    private func slim(_ id: Int64, _ startsAt: Int) -> SlimFixture {
        SlimFixture(
            id: id, leagueID: 3, home: SlimTeam(id: 1, name: "A", code: "A"),
            away: SlimTeam(id: 2, name: "B", code: "B"),
            startsAt: startsAt, type: "T20", status: "NS")
    }

    private func missing(_ pool: PostgresPool) async throws -> [Int] {
        try await pool.query("SELECT match_id FROM fixtures WHERE missing_since IS NOT NULL ORDER BY 1")
            .map { try $0.int("match_id") }
    }

    /// Gives one prepared list after the other; asked once more, it fails.
    private actor PlannedSource: FixtureSource {
        private var spans: [FixtureSpan]
        private let alone: [MatchID: SingleFixture]
        /// The matches that were asked for by themselves.
        private(set) var asked: [MatchID] = []

        init(spans: [FixtureSpan], alone: [MatchID: SingleFixture] = [:]) { (self.spans, self.alone) = (spans, alone) }

        init(_ lists: [[SlimFixture]], alone: [MatchID: SingleFixture] = [:]) {
            self.init(spans: lists.map { FixtureSpan(fixtures: $0, calls: 1) }, alone: alone)
        }

        func fixtures(from: Int, to: Int) async throws -> FixtureSpan {
            guard !spans.isEmpty else { throw StubHTTPServer.NoSocket() }
            return spans.removeFirst()
        }

        func fixture(_ id: MatchID) async throws -> SingleFixture {
            asked.append(id)
            return alone[id] ?? .notFound
        }
    }
}
