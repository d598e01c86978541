import Cricket
import FoundationEssentials
import SightscreenModels
import SportMonks
import Testing

@Suite struct AnswerTests {
    @Test func readsARecordedFixture() throws {
        let answer = try FixtureAnswer(Recording.pakistanSriLanka())
        let fixture = answer.fixture
        #expect(answer.problems.isEmpty)
        #expect(fixture.id == 71344)
        let images = "https://cdn.sportmonks.com/images/cricket/teams"
        #expect(fixture.home == SlimTeam(id: 1, name: "Pakistan", code: "PAK", logo: "\(images)/1/1.png"))
        #expect(fixture.away == SlimTeam(id: 39, name: "Sri Lanka", code: "SL", logo: "\(images)/7/39.png"))
        #expect(fixture.leagueName == "Twenty20 International")
        #expect(fixture.stageName == "Sri Lanka tour of Pakistan")
        #expect(fixture.round == "1st T20I")
        #expect(fixture.startsAt == 1_791_550_800)
        #expect(fixture.note == "Target 183 runs")
        #expect(fixture.runs.map(\.runs) == [182, 10])
        #expect(fixture.runs.map(\.overs) == [Overs(completed: 20, balls: 0), Overs(completed: 1, balls: 2)])
        #expect(fixture.balls.count == 39)
        #expect(fixture.balls.map(\.id) == fixture.balls.map(\.id).sorted())
        #expect(Set(fixture.scores).count == fixture.scores.count)
        #expect(fixture.players.contains(SlimPlayer(id: 166, fullName: "Kusal Mendis", lastName: "Mendis")))
    }

    /// Phones download from the address. The schedule has it; what a match tells does not depend on it.
    @Test(arguments: [
        ("\"https://cdn.sportmonks.com/images/cricket/teams/1/1.png\"", true),
        ("\"http://cdn.sportmonks.com/images/cricket/teams/1/1.png\"", false),
        ("\"https://cdn.sportmonks.com@other.example/1.png\"", false), ("\"javascript:alert(1)\"", false),
        ("\"https://169.254.169.254/1.png\"", false), ("\"https://printer.local/1.png\"", false),
        ("\"https://cdn.sportmonks.com/\(String(repeating: "a", count: 2_048))\"", false),
        ("\"https://cdn.sportmonks.com/images/cricket/placeholder.png\"", false), ("\"\"", false), ("null", false),
        ("17", false), ("{}", false),
    ])
    func onlyAnHTTPSAddressOfBoundedLengthIsALogo(image: String, isLogo: Bool) throws {
        let members = #""localteam":{"id":1,"name":"Pakistan","code":"PAK","image_path":\#(image)}"#
        let fixture = try #require(
            LivescoresAnswer.fixtures(from: Recording.list(Recording.fixture(members))).first)
        #expect(fixture.home.logo.map { "\"\($0)\"" } == (isLogo ? image : nil))
        #expect(fixture.home.name == "Pakistan")
        #expect(try fixture.snapshot().home.logo == nil)
    }

    @Test func readsAPageOfTheSchedule() throws {
        let page = try FixturesPage(Recording.schedule())
        #expect(page.fixtures.map(\.id) == [24915])
        #expect(page.fixtures.first?.winnerTeamID == 8)
        #expect(page.fixtures.first?.status == "Finished")
        #expect(page.page == 1)
        #expect(page.nextPage == nil)
        #expect(page.total == 56)
    }

    @Test func asksForTheNextPageWhileThereIsOne() throws {
        let meta = #""meta":{"current_page":2,"last_page":"3"}"#
        #expect(try FixturesPage(Array("{\"data\":[],\(meta)}".utf8)).nextPage == 3)
        let links = #""links":{"next":"https://cricket.sportmonks.com/api/v2.0/fixtures?page=2"}"#
        #expect(try FixturesPage(Array("{\"data\":[],\(links)}".utf8)).nextPage == 2)
        #expect(try FixturesPage(Array("{\"data\":[]}".utf8)).nextPage == nil)
    }

    @Test func readsPagesThatAreInPagination() throws {
        let members = #""total":250,"count":100,"per_page":100,"current_page":2,"total_pages":3"#
        let page = try FixturesPage(Array(#"{"data":[],"meta":{"pagination":{\#(members)}}}"#.utf8))
        #expect(page.page == 2 && page.nextPage == 3 && page.total == 250)
        let last = members.replacing("\"total_pages\":3", with: "\"total_pages\":2")
        #expect(try FixturesPage(Array(#"{"data":[],"meta":{"pagination":{\#(last)}}}"#.utf8)).nextPage == nil)
        let links = #""links":{"next":"https://cricket.sportmonks.com/api/v2.0/fixtures?page=2"}"#
        #expect(try FixturesPage(Array(#"{"data":[],"meta":{"pagination":{\#(links)}}}"#.utf8)).nextPage == 2)
    }

    @Test(arguments: [
        (#"{"resource":"fixtures"}"#, "fixture ?: fixture left out: no id"),
        (#"{"id":9,"visitorteam_id":2}"#, "fixture 9: fixture left out: no localteam_id"),
        ("17", "fixture ?: fixture left out: not an object"),
        ("null", "fixture ?: fixture left out: not an object"),
    ])
    func aBrokenFixtureIsReportedAndSpoilsNothing(broken: String, report: String) throws {
        let answer = try LivescoresAnswer(
            Recording.list(Recording.fixture(id: "7"), broken, Recording.fixture(id: "8")))
        #expect(answer.fixtures.map(\.id) == [7, 8])
        #expect(answer.problems.map(\.description) == [report])
    }

    @Test func aBrokenRowIsReportedAndSpoilsNothing() throws {
        let score = #"{"id":69,"name":"1 Run","runs":1,"ball":true}"#
        let ball = """
            {"id":5,"scoreboard":"S1","ball":0.1,"batsman_id":3,"bowler_id":4,"score":\(score)}
            """
        let answer = try LivescoresAnswer(
            Recording.list(Recording.fixture(#""balls":[{"id":4,"scoreboard":"S1"},\#(ball),[],null]"#)))
        #expect(answer.fixtures.first?.balls.map(\.id) == [5])
        #expect(answer.problems.count == 3)
        #expect(answer.problems.first?.description == "fixture 7: ball left out: no ball label")
    }

    @Test func numbersAsStringsNullsAndMissingMembersAreRead() throws {
        let fixture = try #require(
            LivescoresAnswer.fixtures(
                from: Recording.list(
                    Recording.fixture(
                        id: "\"71\"",
                        """
                        "rpc_overs":"13","rpc_target":"152","total_overs_played":null,"super_over":"true","follow_on":0,\
                        "note":"  ","runs":[{"team_id":"1","inning":"1","score":"45","wickets":null,"overs":"7.3"}],\
                        "batting":null,"winner_team_id":0
                        """))
            ).first)
        #expect(fixture.id == 71)
        #expect(fixture.revisedOvers == 13)
        #expect(fixture.revisedTarget == 152)
        #expect(fixture.scheduledOvers == nil)
        #expect(fixture.superOver)
        #expect(!fixture.followOn)
        #expect(fixture.note == nil)
        #expect(fixture.winnerTeamID == nil)
        #expect(
            fixture.runs == [
                SlimRuns(innings: 1, teamID: 1, runs: 45, wickets: 0, overs: Overs(completed: 7, balls: 3))
            ])
    }

    @Test(arguments: [
        #""runs":{"data":[{"team_id":1,"inning":1,"score":45}]}"#,
        #""runs":{"0":{"team_id":1,"inning":1,"score":45}}"#,
    ])
    func listsMayBeWrapped(members: String) throws {
        let fixtures = try LivescoresAnswer.fixtures(from: Recording.list(Recording.fixture(members)))
        #expect(fixtures.first?.runs.map(\.runs) == [45])
    }

    @Test func includedObjectsMayBeWrapped() throws {
        let members = #""localteam":{"data":{"id":1,"name":"Pakistan","code":"PAK"}},"league":[]"#
        let fixtures = try LivescoresAnswer.fixtures(from: Recording.list(Recording.fixture(members)))
        #expect(fixtures.first?.home == SlimTeam(id: 1, name: "Pakistan", code: "PAK"))
    }

    @Test func theLaterRowOfABallThatCameTwiceCounts() throws {
        func ball(_ name: String, _ runs: Int) -> String {
            """
            {"id":5,"scoreboard":"S1","ball":0.1,"batsman_id":3,"bowler_id":4,\
            "score":{"name":"\(name)","runs":\(runs),"ball":true}}
            """
        }
        let list = Recording.list(Recording.fixture(#""balls":[\#(ball("1 Run", 1)),\#(ball("2 Runs", 2))]"#))
        let fixture = try #require(LivescoresAnswer.fixtures(from: list).first)
        #expect(fixture.balls.map { fixture.scores[$0.score].name } == ["2 Runs"])
    }

    @Test(arguments: [
        ("", ProviderAnswerError.empty),
        (" \r\n", .empty),
        ("<!DOCTYPE html><html>Down</html>", .notJSON("an HTML page of 32 bytes")),
        ("Bad gateway\n502", .notJSON("15 bytes that begin with \"Bad gateway 502\"")),
        ("{\"data\":[{\"id\":", .notJSON("15 bytes that break off or are malformed")),
        ("{}", .noData(message: nil)),
        ("[]", .noData(message: nil)),
        ("{\"data\":null}", .noData(message: nil)),
        ("{\"data\":\"none\"}", .noData(message: nil)),
        ("{\"message\":\"Too Many\\nAttempts.\"}", .noData(message: "Too Many Attempts.")),
        ("{\"error\":{\"message\":\"No plan\",\"code\":403}}", .noData(message: "No plan")),
    ])
    func anAnswerWithoutFixturesIsOneClearError(body: String, expected: ProviderAnswerError) {
        #expect(throws: expected) { try LivescoresAnswer(Array(body.utf8)) }
        #expect(throws: expected) { try FixturesPage(Array(body.utf8)) }
        #expect(!expected.description.contains { $0.isNewline })
    }

    @Test func aBrokenFixtureThatWasAskedForIsAnError() {
        #expect(throws: ProviderAnswerError.brokenFixture("fixture left out: no localteam_id")) {
            try FixtureAnswer(Array(#"{"data":{"id":9}}"#.utf8))
        }
    }

    @Test func noFigureIsSoLargeThatSumsOverflow() throws {
        let huge = "9223372036854775807"
        let members = """
            "runs":[{"team_id":1,"inning":1,"score":\(huge),"wickets":\(huge),"overs":1e300}],\
            "rpc_overs":1e300,"total_overs_played":-1
            """
        let fixture = try #require(LivescoresAnswer.fixtures(from: Recording.list(Recording.fixture(members))).first)
        let snapshot = try fixture.snapshot()
        #expect(snapshot.innings.first?.runs == 0)
        #expect(snapshot.revisedOvers == nil)
    }

    @Test(
        arguments: [
            ("2026-10-09T13:00:00.000000Z", 1_791_550_800), ("2026-10-09 13:00:00", 1_791_550_800),
            ("2024-02-29", 1_709_164_800), ("1970-01-01T00:00:01Z", 1), ("2000-12-31T23:59:59.999Z", 978_307_199),
        ] as [(String, Int)])
    func datesAreSecondsSince1970(text: String, seconds: Int) {
        #expect(ProviderTime.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "0000-00-00 00:00:00", "2026-13-01", "09/10/2026 13:00", "2026-10-09T25:00:00Z", "2026-10-0x",
    ])
    func whatIsNoDateIsNoTime(text: String) {
        #expect(ProviderTime.seconds(text) == nil)
    }
}
