import Cricket
import FoundationEssentials
import HTTPClient
import SightscreenModels
import SportMonks
import Testing

@Suite struct ProviderAPITests {
    @Test func everyCallNeedsTheToken() async throws {
        try await RunningMock.with { mock in
            for path in ["livescores", "fixtures", "fixtures/1"] {
                for token in [nil, "", "wrong"] {
                    let answer = try await mock.get(path, token: token)
                    #expect(answer.status == 401, "\(path)")
                    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"message":"Unauthenticated."}"#)
                }
            }
            #expect(try await mock.get("livescores").status == 200)
            #expect(try await mock.get("leagues").status == 404)
        }
    }

    @Test func livescoresHasTheMatchFromItsFirstFrameUntilItIsGone() async throws {
        try await RunningMock.with { mock in
            let loaded = try await mock.load("1178424")
            #expect(loaded.cursor == 0 && loaded.label == "" && !loaded.playing)
            #expect(try await fixtures(mock, "livescores").isEmpty, "not before its first frame")
            #expect(try await fixtures(mock, "fixtures").map(\.status) == ["NS"], "but in the schedule")
            var position = try await mock.position("POST", "matches/1178424/step")
            #expect(position.label == "NS")
            #expect(try await fixtures(mock, "livescores").map(\.status) == ["NS"])
            position = try await mock.position("POST", "matches/1178424/seek", #"{"label":"Finished"}"#)
            #expect(try await fixtures(mock, "livescores").map(\.status) == ["Finished"])
            position = try await mock.position("POST", "matches/1178424/step")
            #expect(position.isLast && position.cursor == position.frames)
            #expect(try await fixtures(mock, "livescores").isEmpty)
            let last = try FixtureAnswer.fixture(from: try await mock.get("fixtures/1178424").body)
            #expect(last.status == "Finished" && last.note == "No result")
            #expect(try await mock.position("POST", "matches/1178424/step").cursor == position.cursor, "no further")
        }
    }

    @Test func embedsWhatIsAskedFor() async throws {
        try await RunningMock.with { mock in
            _ = try await mock.load("1304076")
            _ = try await mock.position("POST", "matches/1304076/seek", #"{"label":"S1 3.2"}"#)
            let bare = String(decoding: try await mock.get("livescores").body, as: UTF8.self)
            for name in ["balls", "runs", "batting", "lineup", "league"] { #expect(!bare.contains("\"\(name)\":")) }
            let full = try await mock.get("livescores", ["include=\(LivescoresAnswer.include)"])
            let answer = try LivescoresAnswer(full.body)
            #expect(answer.problems.isEmpty, "\(answer.problems)")
            let fixture = try #require(answer.fixtures.first)
            #expect(fixture.home.code == "RR" && fixture.leagueCode == "IPL" && fixture.runs.count == 1)
            #expect(fixture.balls.last.map { "\($0.over).\($0.number)" } == "3.2")
            let snapshot = try fixture.snapshot()
            #expect(snapshot.innings.first?.balls.count == fixture.balls.count)
            #expect(try await mock.get("livescores", ["include=\(LivescoresAnswer.include)"]).body == full.body)
        }
    }

    @Test func theScheduleIsFilteredSortedAndInPages() async throws {
        try await RunningMock.with { mock in
            for _ in 0..<101 { _ = try await mock.load("1178424") }
            _ = try await mock.load("1270836")
            let first = try FixturesPage(try await mock.get("fixtures").body)
            #expect(first.fixtures.count == 100 && first.nextPage == 2 && first.total == 102)
            let second = try FixturesPage(try await mock.get("fixtures", ["page=2"]).body)
            #expect(second.fixtures.count == 2 && second.nextPage == nil && second.page == 2)
            #expect(Set((first.fixtures + second.fixtures).map(\.id)).count == 102)
            #expect(try FixturesPage(try await mock.get("fixtures", ["page=9"]).body).fixtures.isEmpty)
            #expect(try await fixtures(mock, "fixtures", ["filter[league_id]=3"]).map(\.id) == [1_270_836])
            #expect(try await fixtures(mock, "fixtures", ["filter[starts_between]=2001-01-01,2001-02-01"]).isEmpty)
            let wide = ["filter[starts_between]=2001-01-01,2999-12-31", "sort=-id"]
            #expect(try await fixtures(mock, "fixtures", wide).first?.id == 9_000_000_099)
            // The day that ends a span does not belong to it.
            let starts = try #require(try await fixtures(mock, "fixtures", wide).first?.startsAt)
            let (day, next) = (UTCDay(at: starts), UTCDay(at: starts + 86_400))
            for (span, isIn) in [("\(day),\(day)", false), ("\(day),\(next)", true)] {
                #expect(try await fixtures(mock, "fixtures", ["filter[starts_between]=\(span)"]).isEmpty != isIn)
            }
            for bad in ["filter[starts_between]=today,tomorrow", "filter[nothing]=1", "sort=name", "page=0", "page=x"] {
                #expect(try await mock.get("fixtures", [bad]).status == 400, "\(bad)")
            }
        }
    }

    @Test func aMatchThatIsNotThereIsNotFound() async throws {
        try await RunningMock.with { mock in
            for id in ["1178424", "0", "x"] { #expect(try await mock.get("fixtures/\(id)").status == 404) }
            _ = try await mock.load("1178424")
            #expect(try await mock.get("fixtures/1178424").status == 200)
            _ = try await mock.position("POST", "matches/1178424/stop")
            #expect(try await mock.get("fixtures/1178424").status == 404)
            #expect(try await mock.load("1178424").matchId == "9000000000", "its id was used")
        }
    }

    @Test func theLimitIsPerEndpoint() async throws {
        try await RunningMock.with(hourlyLimit: 2) { mock in
            let remaining = try await [mock.get("livescores"), mock.get("livescores"), mock.get("livescores")]
            #expect(remaining.map(\.status) == [200, 200, 429])
            #expect(remaining.map { $0.header("x-ratelimit-remaining") } == ["1", "0", "0"])
            #expect(try await mock.get("fixtures").status == 200)
        }
    }

    @Test func faultsLastForAsManyCallsAsAsked() async throws {
        try await RunningMock.with { mock in
            _ = try await mock.load("1178424")
            _ = try await mock.position("POST", "matches/1178424/seek", #"{"label":"S1 2.3"}"#)
            func add(_ fault: String) async throws {
                #expect(try await mock.control("POST", "faults", fault).status == 201)
            }
            try await add(#"{"kind":"html","count":2,"endpoint":"livescores"}"#)
            #expect(try await mock.get("fixtures").header("content-type") == "application/json")
            for _ in 0..<2 {
                let page = try await mock.get("livescores")
                #expect(page.status == 200 && page.header("content-type")?.hasPrefix("text/html") == true)
            }
            #expect(try await mock.get("livescores").header("content-type") == "application/json")
            for status in [400, 401, 403, 404, 429, 500, 502, 503] {
                try await add(#"{"kind":\#(status)}"#)
                #expect(try await mock.get("livescores").status == status)
            }
            try await add(#"{"kind":"429","retryAfter":7}"#)
            #expect(try await mock.get("livescores").header("retry-after") == "7")
            try await add(#"{"kind":"empty"}"#)
            #expect(try await mock.get("livescores").body.isEmpty)
            for kind in ["cut", "no-data"] {
                try await add(#"{"kind":"\#(kind)"}"#)
                let body = try await mock.get("livescores").body
                #expect(throws: ProviderAnswerError.self) { try LivescoresAnswer(body) }
            }
            try await add(#"{"kind":"slow","delayMs":300}"#)
            let began = ContinuousClock.now
            #expect(try await mock.get("livescores").status == 200)
            #expect(ContinuousClock.now - began >= .milliseconds(300))
            try await add(#"{"kind":"torn"}"#)
            let torn = try #require(try await fixtures(mock, "livescores", ["include=balls,runs"]).first)
            let whole = try #require(try await fixtures(mock, "livescores", ["include=balls,runs"]).first)
            #expect(torn.balls == whole.balls && torn.runs != whole.runs, "balls one ahead of the runs")
            try await add(#"{"kind":"html","count":9}"#)
            #expect(try await mock.control("DELETE", "faults").status == 204)
            #expect(try await mock.get("livescores").header("content-type") == "application/json")
            for bad in [#"{"kind":"nonsense"}"#, #"{"kind":"html","count":0}"#, "{}", "<html>", ""] {
                #expect(try await mock.control("POST", "faults", bad).status == 400, "\(bad)")
            }
        }
    }

    private func fixtures(_ mock: RunningMock, _ path: String, _ query: [String] = []) async throws -> [SlimFixture] {
        try LivescoresAnswer.fixtures(from: try await mock.get(path, query).body)
    }
}
