import Postgres
import SightscreenModels
import Testing

@Suite struct MatchTests {
    @Test func oneMatchCarriesItsDisplayStateAndAnEntityTag() async throws {
        try await GatewayHarness.run { gateway in
            let path = "/matches/\(GatewayHarness.match)"
            let answer = try await gateway.send("GET", path)
            let match = try answer.decode(MatchItem.self)
            #expect(match.id == GatewayHarness.match)
            #expect(match.status == .live)
            #expect(match.home.abbr == "MI")
            #expect(match.displayState?.compactLeading.score == "87/6")
            let tag = try #require(answer.header("etag"))
            #expect(answer.header("cache-control") == "private, no-cache")
            let again = try await gateway.send("GET", path, headers: [("if-none-match", "\"x\", W/\(tag)")])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(again.header("etag") == tag)
            try await gateway.pool.execute(
                "UPDATE active_matches SET content_state = replace(content_state, '87/6', '88/6')")
            let changed = try await gateway.send("GET", path, headers: [("if-none-match", tag)])
            #expect(changed.status == 200)
            #expect(changed.header("etag") != tag)
            #expect(try await gateway.send("HEAD", path).body.isEmpty)
        }
    }

    /// The relevance is the one that event-bus committed with the version and that pushes have.
    @Test func aDisplayStateComesWithTheRelevanceThatPushesHave() async throws {
        try await GatewayHarness.run { gateway in
            func relevance() async throws -> [Double?] {
                let match = try await gateway.send("GET", "/matches/\(GatewayHarness.match)").decode(MatchItem.self)
                let live = try await gateway.send("GET", "/matches/live").decode(LiveMatchesResponse.self)
                return [match.relevance, live.matches.first?.relevance, try await gateway.follow().relevance]
            }
            #expect(try await relevance() == [62.5, 62.5, 62.5])
            // A number that JSON does not have must not cost the answer.
            try await gateway.pool.execute("UPDATE active_matches SET relevance = 'NaN'")
            #expect(try await relevance() == [nil, nil, nil])
            // The row is there before the first version, with a relevance that says nothing.
            try await gateway.pool.execute(
                "UPDATE active_matches SET relevance = 50, version = 0, content_state = NULL")
            #expect(try await relevance() == [nil, nil, nil])
        }
    }

    /// Of a day that the orchestrator does not fetch, an empty list does not say that nobody plays.
    @Test func aListSaysHowFarTheScheduleIsKnown() async throws {
        try await GatewayHarness.run { gateway in
            let page = try await gateway.send("GET", "/matches?date=2999-01-01").decode(MatchesResponse.self)
            let rows = try await gateway.pool.query(
                "SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now")
            let today = UTCDay(at: try #require(rows.first).int("now"))
            #expect(page.matches.isEmpty)
            #expect(page.listedUntil == (today + 15).startsAt)
        }
    }

    @Test func aMatchNamesTheLogosOfItsTeams() async throws {
        try await GatewayHarness.run { gateway in
            let logo = "https://cdn.sportmonks.com/images/cricket/teams/6/6.png"
            try await gateway.pool.execute("UPDATE fixtures SET home_logo = $1", [.text(logo)])
            let match = try await gateway.send("GET", "/matches/\(GatewayHarness.match)").decode(MatchItem.self)
            #expect(match.home.logo == logo && match.away.logo == nil)
            let page = try await gateway.send("GET", "/matches").decode(MatchesResponse.self)
            #expect(page.matches.map(\.home.logo) == [logo, logo, logo])
        }
    }

    /// By the version's column: neither the words on the card nor its state tell stumps from play.
    @Test(arguments: [(true, 60_000), (false, 5_000), (nil, 5_000)])
    func whileAMatchRestsPhonesAskOnceAMinute(isBreak: Bool?, retryAfterMs: Int) async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.pool.execute(
                """
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority, is_break)
                VALUES ($1, 7, 1000, '{}', 5, $2::boolean)
                """, [.int(GatewayHarness.match.rawValue), PostgresValue(isBreak)])
            let live = try await gateway.send("GET", "/matches/live").decode(LiveMatchesResponse.self)
            #expect(live.retryAfterMs == retryAfterMs)
            let page = try await gateway.send("GET", "/matches").decode(MatchesResponse.self)
            #expect(page.retryAfterMs == retryAfterMs)
        }
    }

    @Test func anUnknownMatchIsNotFound() async throws {
        try await GatewayHarness.run { gateway in
            for path in ["1", "01304076", "x", "-1", "99999999999999999999"] {
                let answer = try await gateway.send("GET", "/matches/\(path)")
                #expect(answer.status == 404, "\(path)")
                #expect(answer.problem == "unknown-match", "\(path)")
            }
        }
    }

    @Test func theScheduleIsFilteredAndPaged() async throws {
        try await GatewayHarness.run { gateway in
            func ids(_ query: String) async throws -> [MatchID] {
                let answer = try await gateway.send("GET", "/matches\(query)")
                #expect(answer.status == 200, "\(answer.text)")
                return try answer.decode(MatchesResponse.self).matches.map(\.id)
            }
            let (live, later, over) = (GatewayHarness.match, GatewayHarness.laterMatch, GatewayHarness.finishedMatch)
            #expect(try await ids("") == [over, live, later])
            #expect(try await ids("?date=2026-03-01") == [live])
            #expect(try await ids("?status=live,upcoming") == [live, later])
            #expect(try await ids("?league=10&from=2026-02-15&to=2026-03-01") == [live])
            #expect(try await ids("?from=2026-03-01T10:00:01Z") == [later])
            #expect(try await ids("?league=11") == [])
            let first = try await gateway.send("GET", "/matches?limit=2").decode(MatchesResponse.self)
            #expect(first.matches.map(\.id) == [over, live])
            #expect(first.retryAfterMs == 5_000)
            let cursor = try #require(first.nextCursor)
            let second = try await gateway.send("GET", "/matches?limit=2&cursor=\(cursor)").decode(MatchesResponse.self)
            #expect(second.matches.map(\.id) == [later])
            #expect(second.nextCursor == nil)
            for query in [
                "date=2026-13-01", "date=today", "from=x", "limit=0", "limit=201", "status=paused", "cursor=x",
                "league=bbl",
            ] {
                #expect(try await gateway.send("GET", "/matches?\(query)").status == 400, "\(query)")
            }
        }
    }

    /// A match that began on 1 March, as it is on 4 March or later; by the day asked for.
    @Test(arguments: [
        (
            "UPDATE active_matches SET display_state = 'live'",
            ["2026-02-28": false, "2026-03-01": true, "2026-03-03": true]
        ),
        // A match that the provider forgot is no match of today.
        ("UPDATE active_matches SET display_state = 'live'", ["2026-03-08": false]),
        (
            "UPDATE active_matches SET settled_at = '2026-03-03 16:00Z', display_state = 'completed'",
            ["2026-03-01": true, "2026-03-02": true, "2026-03-03": true, "2026-03-04": false]
        ),
        // Its row in play is deleted two days after the end.
        (
            "DELETE FROM active_matches; UPDATE fixtures SET status = 'Finished', over_at = '2026-03-03 16:00Z'",
            ["2026-03-02": true, "2026-03-03": true, "2026-03-04": false]
        ),
        (
            "DELETE FROM active_matches; UPDATE fixtures SET status = 'Finished'",
            ["2026-03-01": true, "2026-03-02": false]
        ),
        ("DELETE FROM active_matches; UPDATE fixtures SET status = 'NS'", ["2026-03-01": true, "2026-03-02": false]),
    ])
    func aDayHasEveryMatchThatIsInPlayOnIt(_ change: String, days: [String: Bool]) async throws {
        try await GatewayHarness.run { gateway in
            for statement in change.split(separator: ";") { try await gateway.pool.execute(String(statement)) }
            for (day, isListed) in days {
                let page = try await gateway.send("GET", "/matches?date=\(day)").decode(MatchesResponse.self)
                #expect(page.matches.contains { $0.id == GatewayHarness.match } == isListed, "\(day)")
            }
        }
    }

    @Test func theLiveListSaysWhenToAskAgain() async throws {
        try await GatewayHarness.run { gateway in
            let live = try await gateway.send("GET", "/matches/live").decode(LiveMatchesResponse.self)
            #expect(live.matches.map(\.id) == [GatewayHarness.match])
            #expect(live.retryAfterMs == 5_000)
            try await gateway.pool.execute(
                "UPDATE active_matches SET settled_at = now(), display_state = 'completed'")
            let none = try await gateway.send("GET", "/matches/live").decode(LiveMatchesResponse.self)
            #expect(none.matches.isEmpty)
            #expect(none.retryAfterMs == 30_000)
        }
    }
}
