import Cricket
import Detection
import SightscreenModels
import Testing

@Suite struct EventDetectorTests {
    @Test(arguments: [
        (".", EventKind.dot), ("1", .one), ("2", .two), ("3", .three), ("4", .four), ("6", .six), ("5", .extras),
        ("f", .extras), ("w", .extras), ("n", .extras), ("N", .six), ("b", .extras), ("W", .wicket),
    ])
    func eachBallFiresExactlyOneOfItsKinds(symbol: String, kind: EventKind) {
        #expect(Self.events(symbol).map(\.kind) == [kind])
    }

    @Test func theEventsOfOneBallComeInTheStatedOrder() {
        // The last ball of a wicket maiden, the third wicket in a row, the bowler's third.
        let kinds = Self.events("......|......|...WWW|.").filter { $0.ball == "2.6" }.map(\.kind)
        #expect(kinds == [.wicket, .hatTrick, .bowlerOnFire, .endOfOver, .maidenOver, .newBatter])
    }

    @Test(arguments: [
        ("WW", ["onHatTrick 0.2"]), ("WWW", ["onHatTrick 0.2", "hatTrick 0.3 3"]),
        ("WWWW", ["onHatTrick 0.2", "hatTrick 0.3 3", "hatTrick 0.4 4"]), ("WwWW", ["onHatTrick 0.3"]),
        ("WrWW", ["onHatTrick 0.4"]), ("WsW", ["onHatTrick 0.2", "hatTrick 0.2 3"]),
        ("....WW|......|W", ["onHatTrick 0.6", "hatTrick 2.1 3"]), ("....WW|......|.W", ["onHatTrick 0.6"]),
        ("W.W", []),
    ])
    func aStreakIsOfTheBowlersOwnBalls(balls: String, expected: [String]) {
        let found = Self.events(balls).filter { $0.kind == .onHatTrick || $0.kind == .hatTrick }.map(Self.line)
        #expect(found == expected)
    }

    @Test func twoStreaksAreTwoEvents() {
        let keys = Self.events("WW.WW").filter { $0.kind == .onHatTrick }.map(\.key)
        #expect(keys == ["onHatTrick:S1:p21:w1", "onHatTrick:S1:p21:w12"])
    }

    @Test(arguments: [
        ("......", true), ("bb....", true), (".....1", false), ("w......", false), ("n......", false), (".....", false),
        (".......", true), ("......4", true), (".....|.", false),
    ])
    func aMaidenConcedesNothingUpToTheSixthLegalBall(balls: String, isMaiden: Bool) {
        #expect(Self.events(balls).contains { $0.key == "maidenOver:S1:o0" } == isMaiden)
    }

    @Test func anOverThatTwoBowlersShareIsNoMaiden() {
        var play = BallByBall()
        play.bowl("...")
        play.bowler = 22
        play.bowl("...")
        let kinds = EventDetector.events(in: play.match).map(\.kind)
        #expect(kinds.contains(.endOfOver))
        #expect(!kinds.contains(.maidenOver))
    }

    @Test func anOverEndsOnce() {
        #expect(Self.lines(.endOfOver, "......") == ["endOfOver 0.6"])
        #expect(Self.lines(.endOfOver, ".......") == ["endOfOver 0.6"])
        #expect(Self.lines(.endOfOver, ".....") == [])
        #expect(Self.lines(.endOfOver, ".....|.") == ["endOfOver 0.5"])
        #expect(Self.events("4.....").first { $0.kind == .endOfOver }?.text == "End of over 1: MI 4/0")
    }

    @Test func aBallThatIsEnteredLateStillBelongsToItsOver() {
        var play = BallByBall()
        play.bowl("......|......|......")
        var late = play.match.innings[0].balls.remove(at: 5)
        late.id = play.match.innings[0].balls[5].id + 1
        play.match.innings[0].balls.insert(late, at: 6)
        let events = EventDetector.events(in: play.match)
        #expect(events.filter { $0.kind == .endOfOver }.map(\.key) == (0...2).map { "endOfOver:S1:o\($0)" })
        #expect(Set(events.filter { $0.kind == .maidenOver }.map(\.key)) == Set((0...2).map { "maidenOver:S1:o\($0)" }))
    }

    @Test func scoresBringMilestonesAndNinetiesOnceEach() {
        let balls = Array(repeating: "66666.", count: 4).joined(separator: "|")
        #expect(Self.lines(.milestone, balls) == ["milestone 1.4 50", "milestone 3.2 100"])
        #expect(Self.lines(.nineties, balls) == ["nineties 2.5"])
        #expect(Self.events(balls).first { $0.kind == .milestone }?.text == "FIFTY! Sharma off 10 balls")
        // 88, then six: the nineties; 89 and eleven more in two balls without them.
        #expect(Self.lines(.nineties, "666666|66") == [])
    }

    @Test func sixesInARowAreCountedOverBallsFaced() {
        #expect(Self.lines(.consecutiveSixes, "66w6N") == ["consecutiveSixes 0.3 3", "consecutiveSixes 0.4 4"])
        #expect(Self.lines(.consecutiveSixes, "66.6") == [])
        #expect(Self.lines(.consecutiveSixes, "66n6") == [])
    }

    @Test func aBatterIsOnFireFromFifteenBallsAtTwoHundred() {
        let fourteen = "......|......|44"
        #expect(Self.lines(.batterOnFire, fourteen + "4") == [])
        #expect(Self.lines(.batterOnFire, "666.66|......|..") == [])
        #expect(Self.lines(.batterOnFire, "66666.|......|w..").isEmpty)
        #expect(Self.lines(.batterOnFire, "66666.|......|w...") == ["batterOnFire 2.3"])
        #expect(Self.lines(.batterOnFire, "66666.|......|...666") == ["batterOnFire 2.3"])
    }

    @Test(arguments: [
        (MatchFormat.twenty20, "3333", true), (.twenty20, "4333", false), (.oneDay, "333.", true),
        (.oneDay, "3331", false), (.firstClass, "33..", true), (.firstClass, "331.", false),
    ])
    func aBowlerIsOnFireByTheMeasureOfTheFormat(format: MatchFormat, conceded: String, isOnFire: Bool) {
        var play = BallByBall(format: format)
        // Two overs of the same bowler: twelve legal balls, the third wicket on the last.
        play.bowl("WW\(conceded)|......|.....W")
        let found = EventDetector.events(in: play.match).filter { $0.kind == .bowlerOnFire }.map(Self.line)
        #expect(found == (isOnFire ? ["bowlerOnFire 2.6"] : []))
    }

    @Test func aBowlerNeedsTwelveLegalBallsToBeOnFire() {
        #expect(Self.lines(.bowlerOnFire, "WW....|......|wW") == [])
        #expect(Self.lines(.bowlerOnFire, "WW....|......|....W.") == [])
    }

    @Test func aNewBatterComesInAfterAWicketButOpenersDoNot() {
        #expect(Self.lines(.newBatter, "....") == [])
        #expect(Self.lines(.newBatter, ".W.c.") == ["newBatter 0.2", "newBatter 0.4"])
    }

    @Test func wicketsAreWrittenAsAScorerWould() {
        #expect(Self.events("42c").last?.text == "Sharma c Kohli b Bumrah 6 (3)")
        #expect(Self.events("W").last?.text == "Sharma b Bumrah 0 (1)")
        #expect(Self.events("s").last?.text == "Sharma st Kohli b Bumrah 0 (0)")
        #expect(Self.events("r").last?.text == "Sharma run out (Kohli) 0 (1)")
    }

    // MARK: - Corrections and gaps

    @Test func aCorrectionChangesOnlyTheEventsOfItsBall() {
        var play = BallByBall()
        play.bowl("1.4.")
        let before = EventDetector.events(in: play.match)
        play.match.innings[0].balls[2].isBoundary = false
        play.match.innings[0].balls[2].runsOffBat = 0
        play.match.innings[0].balls[2].wides = 5
        let after = EventDetector.events(in: play.match)
        #expect(Set(before.map(\.key)).subtracting(after.map(\.key)) == ["four:b109"])
        #expect(Set(after.map(\.key)).subtracting(before.map(\.key)) == ["extras:b109"])
    }

    @Test func aWicketKnowsOnlyItsBatterSoThatABallEnteredAgainIsNoNewOne() {
        var play = BallByBall()
        play.bowl(".W")
        let key = EventDetector.events(in: play.match).last?.key
        play.match.innings[0].balls[1].id += 7
        #expect(EventDetector.events(in: play.match).last?.key == key)
        #expect(key == "wicket:S1:p1")
    }

    @Test func rowsThatAreAheadOfTheBallsTellWhatTheBallsWillTell() {
        var play = BallByBall()
        play.bowl("66666.|666W")
        let complete = EventDetector.events(in: play.match)
        var torn = play.match
        torn.innings[0].balls.removeLast(2)
        torn.innings[0].batting = [
            BattingLine(
                playerID: 1, runs: 48, ballsFaced: 10, fours: 0, sixes: 8,
                dismissal: Dismissal(how: .bowled, bowlerID: 22, fielderID: nil)),
            BattingLine(playerID: 2, runs: 0, ballsFaced: 0, fours: 0, sixes: 0, dismissal: nil),
        ]
        torn.innings[0].updatedAt = 900
        let early = EventDetector.events(in: torn)
        let wicket = early.first { $0.kind == .wicket }
        #expect(wicket?.key == complete.first { $0.kind == .wicket }?.key)
        #expect(wicket?.ball == "1.2")
        #expect(wicket?.ballID == nil)
        #expect(wicket?.at == 124)
        #expect(wicket?.text == "Sharma b Khan 48 (10)")
    }

    @Test func totalsAloneTellWicketsMilestonesAndOvers() {
        var play = BallByBall()
        play.bowl("66666.|6666W.|......")
        var bare = play.match
        bare.innings[0].balls = []
        bare.innings[0].batting = [
            BattingLine(
                playerID: 1, runs: 54, ballsFaced: 11, fours: 0, sixes: 9,
                dismissal: Dismissal(how: .bowled, bowlerID: 22, fielderID: nil)),
            BattingLine(playerID: 2, runs: 0, ballsFaced: 0, fours: 0, sixes: 0, dismissal: nil),
            BattingLine(playerID: 11, runs: 0, ballsFaced: 7, fours: 0, sixes: 0, dismissal: nil),
        ]
        let keys = EventDetector.events(in: bare).map(\.key)
        #expect(
            Set(keys) == [
                "wicket:S1:p1", "milestone:S1:p1:50", "newBatter:S1:p11", "endOfOver:S1:o0", "endOfOver:S1:o1",
                "endOfOver:S1:o2",
            ])
        #expect(Set(keys).isSubset(of: EventDetector.events(in: play.match).map(\.key)))
    }

    @Test func ballsThatAreMissingEndEveryStreak() {
        var play = BallByBall()
        play.bowl("W.WW")
        play.match.innings[0].balls.remove(at: 1)
        #expect(!EventDetector.events(in: play.match).contains { $0.kind == .hatTrick })
    }

    @Test func ratesAreNotWorkedOutOfSomeOfTheBalls() {
        var play = BallByBall()
        play.bowl("......|66666.|......|6666666666")
        play.match.innings[0].batting = [
            BattingLine(playerID: 1, runs: 90, ballsFaced: 28, fours: 0, sixes: 15, dismissal: nil)
        ]
        #expect(EventDetector.events(in: play.match).contains { $0.kind == .batterOnFire })
        // The same balls, but the row knows of twenty dots more.
        play.match.innings[0].batting[0].ballsFaced = 48
        #expect(!EventDetector.events(in: play.match).contains { $0.kind == .batterOnFire })
    }

    @Test func aWicketThatNoBallShowsHasTheLabelOfTheBallBeforeIt() {
        var play = BallByBall()
        play.bowl(".W.")
        let timedOut = Dismissal(how: .timedOut, bowlerID: nil, fielderID: nil)
        play.match.innings[0].batting = [1, 2, 41, 11].map {
            BattingLine(
                playerID: $0, runs: 0, ballsFaced: 0, fours: 0, sixes: 0,
                dismissal: $0 == 41 ? timedOut : $0 == 1 ? Dismissal(how: .bowled, bowlerID: 21, fielderID: nil) : nil)
        }
        let events = EventDetector.events(in: play.match).filter { $0.ball == "0.2" }
        #expect(events.map(\.key) == ["wicket:S1:p1", "wicket:S1:p41", "newBatter:S1:p11"])
    }

    @Test func aBogusTotalDoesNotFloodTheLog() {
        var play = BallByBall()
        play.bowl(".")
        play.match.innings[0].overs = Overs(completed: 99_999, balls: 0)
        #expect(EventDetector.events(in: play.match).count < 600)
    }

    // MARK: - The end of an innings

    @Test(arguments: [
        (MatchPhase.inningsBreak, true), (.innings(2), true), (.innings(1), false), (.interrupted, false),
        (.tea, false),
    ])
    func anInningsIsOverWhenTheStatusSaysSo(phase: MatchPhase, isOver: Bool) {
        var play = BallByBall(phase: phase)
        play.bowl("4.")
        let found = EventDetector.events(in: play.match).last { $0.kind == .inningsBreak }
        #expect((found != nil) == isOver)
        #expect(!isOver || found?.text == "MI set CSK 5 to win")
    }

    @Test func aDecidedChaseIsFollowedByNoInnings() {
        var play = BallByBall(phase: .inningsBreak)
        play.bowl("4.")
        play.match.innings.append(
            Innings(
                number: 2, battingTeamID: 200, runs: 5, wickets: 1, overs: Overs(completed: 1, balls: 1), batting: [],
                bowling: [], balls: []))
        let keys = EventDetector.events(in: play.match).filter { $0.kind == .inningsBreak }.map(\.key)
        #expect(keys == ["inningsBreak:S1"])
    }

    private static func events(_ balls: String) -> [MatchEvent] {
        var play = BallByBall()
        play.bowl(balls)
        return EventDetector.events(in: play.match)
    }

    private static func lines(_ kind: EventKind, _ balls: String) -> [String] {
        events(balls).filter { $0.kind == kind }.map(line)
    }

    private static func line(_ event: MatchEvent) -> String {
        [event.kind.rawValue, event.ball, event.value.map(String.init)].compactMap { $0 }.joined(separator: " ")
    }
}
