import Cricket
import FoundationEssentials
import SightscreenModels
import SportMonks
import Testing

@Suite struct SlimFixtureFittingTests {
    static let bytesMax = 1_000_000

    private func long(innings: Int, ballsEach: Int) throws -> SlimFixture {
        var fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        let ball = try #require(fixture.balls.last)
        fixture.balls = (0..<innings * ballsEach).map { place in
            var next = ball
            next.id = 9_999_990_000_000 + Int64(place)
            next.innings = 1 + place / ballsEach
            return next
        }
        return fixture
    }

    private func bytes(_ fixture: SlimFixture) throws -> Int { try JSONEncoder().encode(fixture).count }

    @Test func givesUpNothingOfARealMatch() throws {
        for bytes in [try Recording.pakistanSriLanka(), try Recording.indiaWestIndies()] {
            let fixture = try FixtureAnswer.fixture(from: bytes)
            let (fitting, givenUp) = fixture.fitting(bytesMax: Self.bytesMax)
            #expect(fitting == fixture && givenUp.isEmpty)
        }
        let test = try long(innings: 4, ballsEach: 700)
        #expect(test.fitting(bytesMax: Self.bytesMax).fixture == test)
    }

    @Test func givesUpTheBallsOfTheOldestInningsBeforeThoseOfTheNewest() throws {
        let fixture = try long(innings: 4, ballsEach: 6_000)
        let (fitting, givenUp) = fixture.fitting(bytesMax: Self.bytesMax)
        #expect(givenUp == [.longTexts, .scoreboards, .playersWithoutRow, .ballsOfOldInnings])
        #expect(Set(fitting.balls.map(\.innings)) == [2, 3, 4])
        #expect(try bytes(fitting) <= Self.bytesMax)
        #expect(fitting.runs == fixture.runs)
        _ = try fitting.snapshot()
    }

    @Test func keepsTheTablesOfTheBallsThatAreLeft() throws {
        var fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        let names = fixture.balls.filter { $0.innings == 2 }.map { fixture.scores[$0.score].name }
        fixture.note = String(repeating: "x", count: 200)
        let (fitting, givenUp) = fixture.fitting(bytesMax: try bytes(fixture) - 2_000)
        #expect(givenUp.last == .ballsOfOldInnings)
        #expect(fitting.balls.map { fitting.scores[$0.score].name } == names)
        let named = Set(fitting.players.map(\.id))
        #expect(fitting.balls.allSatisfy { named.contains($0.strikerID) && named.contains($0.bowlerID) })
    }

    @Test func fitsHoweverAbsurdTheFixture() throws {
        var fixture = try long(innings: 1, ballsEach: 20_000)
        let text = String(repeating: "\u{1}é👨‍👩‍👧", count: 100_000)
        fixture.note = text
        fixture.home.name = text
        fixture.players = (1...3_000).map { SlimPlayer(id: $0, fullName: text, lastName: text) }
        fixture.batting = Array(repeating: try #require(fixture.batting.first), count: 20_000)
        fixture.bowling = Array(repeating: try #require(fixture.bowling.first), count: 20_000)
        fixture.runs = Array(repeating: try #require(fixture.runs.first), count: 20_000)
        fixture.scoreboards = Array(repeating: SlimScoreboard(innings: 1, type: text), count: 1_000)
        let (fitting, givenUp) = fixture.fitting(bytesMax: Self.bytesMax)
        #expect(givenUp == SlimFixture.Part.allCases)
        #expect(try bytes(fitting) <= Self.bytesMax)
        #expect(fitting.runs == [fixture.runs[0]])
        #expect(try fitting.snapshot().innings.map(\.runs) == [182])
    }

    @Test func cutsATextOnlyWhenTheFrameIsTooLarge() throws {
        var fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        fixture.note = String(repeating: "🏏", count: 3_000)
        #expect(fixture.fitting(bytesMax: Self.bytesMax).fixture == fixture)
        let (fitting, givenUp) = fixture.fitting(bytesMax: try bytes(fixture) - 1_000)
        #expect(givenUp == [.longTexts])
        #expect(fitting.note == String(repeating: "🏏", count: 200))
    }
}

@Suite struct SlimFixtureSamenessTests {
    @Test func timesOfRowsTellNothing() throws {
        let fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        var touched = fixture
        for place in touched.balls.indices { touched.balls[place].updatedAt += 7 }
        for place in touched.runs.indices { touched.runs[place].updatedAt = 1 }
        #expect(fixture.tellsTheSame(as: fixture) && fixture.tellsTheSame(as: touched))
    }

    @Test func everythingElseDoes() throws {
        let fixture = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka())
        let changes: [(inout SlimFixture) -> Void] = [
            { $0.note = "x" }, { $0.status = "Int." }, { $0.balls[3].runOutByID = 7 }, { $0.balls.removeLast() },
            { $0.runs[1].wickets += 1 }, { $0.batting[0].runs += 1 }, { $0.winnerTeamID = 1 },
            { $0.players[0].fullName = "Somebody" }, { $0.scores[0].runs += 1 },
        ]
        for change in changes {
            var other = fixture
            change(&other)
            #expect(!fixture.tellsTheSame(as: other))
        }
    }
}
