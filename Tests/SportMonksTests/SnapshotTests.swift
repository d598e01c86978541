import Cricket
import SightscreenModels
import SportMonks
import Testing

@Suite struct SnapshotTests {
    @Test func putsARecordedFrameIntoCricketsTerms() throws {
        let match = try FixtureAnswer.fixture(from: Recording.pakistanSriLanka()).snapshot()
        #expect(match.id == MatchID(71344))
        #expect(match.format == .twenty20)
        #expect(match.phase == .innings(2))
        #expect(match.scheduledOvers == 20)
        #expect(match.innings.map(\.battingTeamID) == [39, 1])
        #expect(match.innings.map(\.wickets) == [8, 0])
        let second = try #require(match.innings.last)
        #expect(second.balls.reduce(0) { $0 + $1.totalRuns } == 10)
        #expect(second.balls.count(where: \.isLegal) == 8)
        #expect(second.overs.description == "1.2")
        let first = try #require(match.innings.first)
        for over in [18, 19] {
            let runs = first.balls.filter { $0.over == over }.reduce(0) { $0 + $1.totalRuns }
            #expect(runs == (over == 18 ? 12 : 10))
        }
    }

    @Test func knowsHowBattersGotOutInARecordedFrame() throws {
        let first = try #require(
            FixtureAnswer.fixture(from: Recording.pakistanSriLanka()).snapshot().innings.first)
        #expect(first.batting.count { $0.dismissal != nil } == 8)
        let opener = try #require(first.batting.first)
        #expect(opener.dismissal == Dismissal(how: .caught, bowlerID: 4301, fielderID: 41879))
        #expect(opener.runs == 91)
        let caughtAndBowled = first.balls.first { $0.howOut == .caughtAndBowled }
        #expect(caughtAndBowled?.label == "19.1")
        #expect(caughtAndBowled?.fielderID == caughtAndBowled?.bowlerID)
    }

    @Test func readsBattersOutWithoutAnyBall() throws {
        let innings = try #require(FixtureAnswer.fixture(from: Recording.indiaWestIndies()).snapshot().innings.first)
        #expect(innings.overs == Overs(completed: 18, balls: 4))
        #expect(innings.batting.compactMap { $0.dismissal?.how } == [.caught, .caught, .bowled, .bowled])
        #expect(innings.wickets == 4)
    }

    @Test func everyBowlerOfARecordedMatchKeepsTheirFigures() throws {
        let text = String(decoding: try Recording.bangladeshAustralia(), as: UTF8.self)
        let rows = text.drop { $0 != "{" }.dropFirst()
        let whole =
            #"{"data":{"id":28295,"localteam_id":37,"visitorteam_id":36,"status":"Finished","type":"T20I",\#(rows)}"#
        let match = try FixtureAnswer.fixture(from: Array(whole.utf8)).snapshot()
        #expect(match.innings.map { "\($0.runs)/\($0.wickets) \($0.overs)" } == ["127/9 20.0", "117/4 20.0"])
        #expect(match.innings.map(\.bowling.count) == [7, 6])
        #expect(match.innings.allSatisfy { $0.bowling.reduce(0) { $0 + $1.overs.legalBalls } == 120 })
    }

    @Test(arguments: [
        // name, members of the score, off the bat, wides, no-balls, byes, leg-byes, boundary
        ("No Run", #""runs":0"#, [0, 0, 0, 0, 0], false),
        ("3 Runs", #""runs":3"#, [3, 0, 0, 0, 0], false),
        ("FOUR", #""runs":4,"four":true"#, [4, 0, 0, 0, 0], true),
        ("4 Runs", #""runs":4,"four":false"#, [4, 0, 0, 0, 0], false),
        ("SIX", #""runs":6,"six":true"#, [6, 0, 0, 0, 0], true),
        ("6 Runs", #""runs":6"#, [6, 0, 0, 0, 0], false),
        ("1 Wide", #""runs":1,"ball":false"#, [0, 1, 0, 0, 0], false),
        ("5 Wides", #""runs":5,"ball":false"#, [0, 5, 0, 0, 0], false),
        ("1 No Ball", #""runs":1,"noball":1,"noball_runs":1"#, [0, 0, 1, 0, 0], false),
        ("1 No Ball + 1 Run", #""runs":2,"noball":1,"noball_runs":1"#, [1, 0, 1, 0, 0], false),
        ("1 No Ball + SIX", #""runs":7,"noball":1,"noball_runs":1,"six":true"#, [6, 0, 1, 0, 0], true),
        ("1 No Ball + 1 Bye", #""runs":1,"noball":1,"noball_runs":1,"bye":1"#, [0, 0, 1, 1, 0], false),
        ("4 Byes", #""runs":0,"bye":4,"four":true"#, [0, 0, 0, 4, 0], false),
        ("1 Leg Bye", #""runs":0,"leg_bye":1"#, [0, 0, 0, 0, 1], false),
        ("1 Leg Bye + 4 Runs", #""runs":4,"leg_bye":5"#, [0, 0, 0, 0, 5], false),
        ("1 Wide + Stump Out", #""runs":1,"ball":false,"is_wicket":true,"out":true"#, [0, 1, 0, 0, 0], false),
    ])
    func everyKindOfDelivery(name: String, members: String, runs: [Int], boundary: Bool) throws {
        let ball = try #require(try Self.ball(name, members))
        #expect([ball.runsOffBat, ball.wides, ball.noBalls, ball.byes, ball.legByes] == runs)
        #expect(ball.isBoundary == boundary)
        #expect(ball.isLegal == (runs[1] == 0 && runs[2] == 0))
    }

    @Test(arguments: [
        ("Catch Out", HowOut.caught), ("Clean Bowled", .bowled), ("LBW OUT", .lbw), ("Stump Out", .stumped),
        ("Hit Wicket", .hitWicket), ("Run Out", .runOut), ("1 Run + Run Out", .runOut),
        ("Obstructing Out", .obstructingTheField),
        ("Timed Out", .timedOut), ("Retired Out", .retiredOut), ("Hit the ball twice", .hitTwice),
        ("Handled the ball", .handledTheBall), ("Spirited away", .unknown),
        ("Catch Out (Sub)", .caught), ("Stump Out (Sub)", .stumped), ("1 Wide + stump Out", .stumped),
        ("Run Out (Subs)", .runOut), ("Obstructing the field Out", .obstructingTheField), ("Bowled", .bowled),
    ])
    func everyWayToGetOut(name: String, how: HowOut) throws {
        let ball = try #require(try Self.ball(name, #""runs":0,"is_wicket":true,"out":true"#))
        #expect(ball.outID == 11)
        #expect(ball.howOut == how)
    }

    @Test(arguments: [
        ("Retired Hurt", #""is_wicket":false,"out":false"#), ("Retired Hurt", #""is_wicket":true,"out":true"#),
        ("Retired Not Out", #""is_wicket":true"#), ("1 Bye + Retired Hurt", #""bye":1"#),
    ])
    func aRetirementIsNotOut(name: String, members: String) throws {
        let ball = try #require(try Self.ball(name, "\"runs\":0," + members, row: #""batsmanout_id":11"#))
        #expect(ball.outID == nil)
        #expect(ball.howOut == nil)
    }

    @Test func theNonStrikerMayBeRunOut() throws {
        let ball = try #require(
            try Self.ball("Run Out", #""runs":0,"is_wicket":true"#, row: #""batsmanout_id":12,"runout_by_id":31"#))
        #expect(ball.strikerID == 11)
        #expect(ball.nonStrikerID == 12)
        #expect(ball.outID == 12)
        #expect(ball.fielderID == 31)
    }

    /// The rows are ahead of the balls, so that only the id says how the batter was out.
    @Test(arguments: [
        (54, HowOut.caught), (55, .caught), (56, .stumped), (63, .runOut), (64, .runOut), (79, .bowled), (83, .lbw),
        (87, .hitWicket), (138, .retiredOut),
        // Ids that nothing but hearsay names: a fielder makes it a catch.
        (78, .caught), (1999, .caught),
    ])
    func theIDOfADismissalSaysHow(id: Int, how: HowOut) throws {
        let rows = """
            "runs":[{"team_id":1,"inning":1,"score":1,"wickets":1,"overs":0.2}],"batting":[\
            {"scoreboard":"S1","sort":1,"player_id":11,"wicket_id":\(id),"score":1,"ball":2,"bowling_player_id":21,\
            "catch_stump_player_id":31,"fow_score":1,"fow_balls":0.2},\
            {"scoreboard":"S1","sort":2,"player_id":12,"wicket_id":84,"score":0,"ball":0}]
            """
        let innings = try #require(try Self.innings("1 Run", #""runs":1"#, row: "", fixture: rows))
        #expect(innings.batting.first?.dismissal?.how == how)
    }

    /// The Hundred is counted in balls, whatever the labels and the totals of the provider are in.
    @Test(arguments: [
        ("100-ball", 5, 20), ("The Hundred", 5, 20), ("100-Ball", 6, 16), ("100 ball", 10, 10),
    ])
    func theHundredIsCountedInBalls(type: String, perOver: Int, planned: Int) throws {
        var fixture = Self.fixture(status: "1st Innings", type: type, overs: planned == 20 ? 20 : nil)
        fixture.scores = [SlimScore(name: "1 Run", runs: 1), SlimScore(name: "1 Wide", runs: 1, isBall: false)]
        // A wide comes before the third ball.
        fixture.balls = (0..<13).map { place in
            let legal = place > 2 ? place - 1 : place
            return SlimBall(
                id: Int64(place + 1), innings: 1, over: legal / perOver, number: legal % perOver + 1, teamID: 1,
                strikerID: 11, bowlerID: 21, batterOneID: 11, batterTwoID: 12, score: place == 2 ? 1 : 0, updatedAt: 9)
        }
        fixture.runs = [
            SlimRuns(
                innings: 1, teamID: 1, runs: 13, wickets: 0, overs: Overs(completed: 12 / perOver, balls: 12 % perOver))
        ]
        let match = try fixture.snapshot()
        let innings = try #require(match.innings.first)
        #expect(match.scheduledOvers == 20 && match.ballsPerOver == 5)
        #expect(innings.overs.legalBalls == 12 && innings.overs.description == "12")
        #expect(innings.balls.map(\.label).suffix(3) == ["10", "11", "12"])
        #expect(innings.balls[2].label == "3" && innings.balls[3].label == "3")
        #expect(innings.balls.last?.over == 2)
    }

    @Test func aBatterTimedOutIsFoundWithoutABall() throws {
        let rows = """
            "runs":[{"team_id":1,"inning":1,"score":1,"wickets":2,"overs":0.1}],"batting":[\
            {"scoreboard":"S1","sort":1,"player_id":11,"wicket_id":54,"score":1,"ball":1,"bowling_player_id":21},\
            {"scoreboard":"S1","sort":2,"player_id":12,"wicket_id":84,"score":0,"ball":0},\
            {"scoreboard":"S1","sort":3,"player_id":13,"wicket_id":1999,"score":0,"ball":0}]
            """
        let innings = try #require(
            try Self.innings("Catch Out", #""runs":0,"is_wicket":true"#, row: "", fixture: rows))
        #expect(innings.batting.map { $0.dismissal?.how } == [.caught, nil, .timedOut])
    }

    @Test func aBatterRetiredHurtIsNotOutThoughTheirRowHasAnUnknownWord() throws {
        let rows = """
            "runs":[{"team_id":1,"inning":1,"score":1,"wickets":0,"overs":0.1}],"batting":[\
            {"scoreboard":"S1","sort":1,"player_id":11,"wicket_id":1733,"score":1,"ball":1},\
            {"scoreboard":"S1","sort":2,"player_id":12,"wicket_id":84,"score":0,"ball":0}]
            """
        let innings = try #require(try Self.innings("Retired Hurt", #""runs":1"#, row: "", fixture: rows))
        #expect(innings.batting.allSatisfy { $0.dismissal == nil })
    }

    @Test(arguments: [
        ("NS", MatchPhase.notStarted), ("Delayed", .delayed), ("1st Innings", .innings(1)),
        ("4th Innings", .innings(4)),
        ("Innings Break", .inningsBreak), ("Tea Break", .tea), ("Lunch", .lunch), ("Dinner", .dinner),
        ("Stump Day 3", .stumps(day: 3)), ("Stumps", .stumps(day: 1)), ("Int.", .interrupted), ("Aban.", .abandoned),
        ("Postp.", .postponed), ("Cancl.", .cancelled), ("Cancl", .cancelled), ("Finished", .finished),
        ("Bad light", .unknown("Bad light")), ("", .unknown("")),
        ("99999999999999999999th Innings", .unknown("99999999999999999999th Innings")),
    ])
    func statusDecidesThePhase(status: String, phase: MatchPhase) throws {
        #expect(try Self.fixture(status: status, type: "T20").snapshot().phase == phase)
    }

    @Test(
        arguments: [
            ("T20I", nil, MatchFormat.twenty20), ("T20", 13, .twenty20), ("T10", nil, .twenty20), ("ODI", 50, .oneDay),
            ("List A", nil, .oneDay), ("Test/5day", nil, .firstClass), ("4day", nil, .firstClass), (nil, 20, .twenty20),
            (nil, 50, .oneDay), ("Friendly", nil, .firstClass), ("Friendly", 8, .twenty20),
        ] as [(String?, Int?, MatchFormat)])
    func typeDecidesTheFormat(type: String?, overs: Int?, format: MatchFormat) throws {
        #expect(try Self.fixture(status: "NS", type: type, overs: overs).snapshot().format == format)
    }

    @Test func superOversFollowAsInningsOfTheirOwn() throws {
        var fixture = Self.fixture(status: "Finished", type: "T20")
        fixture.superOver = true
        fixture.runs = (1...4).map {
            SlimRuns(
                innings: $0, teamID: $0 == 1 || $0 == 4 ? 1 : 2, runs: 5, wickets: 1,
                overs: Overs(completed: 1, balls: 0))
        }
        let match = try fixture.snapshot()
        #expect(match.innings.map(\.number) == [1, 2, 3, 4])
        #expect(match.superOver)
    }

    @Test func ballsWithoutATotalMakeAnInningsOfTheirOwn() throws {
        let innings = try #require(
            try Self.innings("FOUR", #""runs":4,"four":true"#, row: "", fixture: #""batting":[]"#))
        #expect(innings.runs == 4)
        #expect(innings.battingTeamID == 1)
        #expect(innings.overs == Overs(completed: 0, balls: 1))
    }

    @Test func aFrameThatCanBeNoMatchIsRefused() throws {
        var fixture = Self.fixture(status: "1st Innings", type: "T20")
        fixture.runs = [SlimRuns(innings: 1, teamID: 3, runs: 0, wickets: 0, overs: Overs(completed: 0, balls: 0))]
        #expect(throws: FrameError.foreignInnings(1)) { try fixture.snapshot() }
        fixture.runs = []
        fixture.balls = [
            SlimBall(
                id: 1, innings: 1, over: 0, number: 1, teamID: 1, strikerID: 2, bowlerID: 3, score: 7, updatedAt: 0)
        ]
        #expect(throws: FrameError.brokenTables) { try fixture.snapshot() }
        fixture.away.id = 1
        #expect(throws: FrameError.oneTeam) { try fixture.snapshot() }
    }

    static func fixture(status: String, type: String?, overs: Int? = nil) -> SlimFixture {
        SlimFixture(
            id: 7, home: SlimTeam(id: 1, name: "Pakistan"), away: SlimTeam(id: 2, name: "Sri Lanka"), type: type,
            status: status, scheduledOvers: overs)
    }

    /// The ball of an innings of one ball: 21 bowls to 11, 12 is at the other end.
    static func ball(_ name: String, _ members: String, row: String = "") throws -> Ball? {
        try innings(name, members, row: row, fixture: "")?.balls.first
    }

    static func innings(_ name: String, _ members: String, row: String, fixture: String) throws -> Innings? {
        let flag = members.contains("\"ball\"") ? "" : #","ball":true"#
        let ball = """
            {"id":5,"scoreboard":"S1","ball":0.1,"team_id":1,"batsman_id":11,"bowler_id":21,"batsman_one_on_creeze_id":12,\
            "batsman_two_on_creeze_id":11\(row.isEmpty ? "" : "," + row),\
            "score":{"id":1733,"name":"\(name)",\(members)\(flag)}}
            """
        let more = fixture.isEmpty ? "" : "," + fixture
        let list = Recording.list(Recording.fixture("\"balls\":[\(ball)]\(more)"))
        return try LivescoresAnswer.fixtures(from: list).first?.snapshot().innings.first
    }
}
