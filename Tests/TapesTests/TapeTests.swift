import SportMonks
import Tapes
import Testing

@Suite struct TapeTests {
    /// The same match was recorded from SportMonks (players have other ids there).
    @Test func equalsTheRecordedFiguresOfTheSameMatch() throws {
        let tape = try Samples.tape(1_270_836)
        let ours = try Samples.fixture(tape, tape.frames.count - 1)
        let recorded = try JSON(try Samples.bytes("sportmonks/fixture-28295-finished.bowling-runs.excerpt.json"))
        func figures(_ row: JSON) -> [String] {
            ["scoreboard", "team_id", "overs", "medians", "runs", "wickets", "wide", "noball", "rate"].map {
                "\($0) \(row[$0])"
            }
        }
        // Theirs is not in order of innings and first over.
        let bowling = (ours: ours["bowling"].rows.map(figures), recorded: recorded["bowling"].rows.map(figures))
        #expect(Set(bowling.ours) == Set(bowling.recorded))
        #expect(recorded["bowling"].rows.count == 13)
        func totals(_ row: JSON) -> [String] {
            ["inning", "team_id", "score", "wickets", "overs", "pp1", "pp2", "pp3"].map { "\($0) \(row[$0])" }
        }
        #expect(ours["runs"].rows.map(totals) == recorded["runs"].rows.map(totals))
    }

    @Test(arguments: Samples.matches) func lastFrameHasCricsheetsTotals(_ id: Int64) throws {
        let tape = try Samples.tape(id)
        let totals = Totals(try JSON(try Samples.bytes("matches/\(id).json")))
        let fixture = try Samples.fixture(tape, tape.frames.count - 1)
        let rows = fixture["runs"].rows
        #expect(rows.map { $0["score"].int } == totals.innings.map(\.runs))
        #expect(rows.map { $0["wickets"].int } == totals.innings.map(\.wickets))
        #expect(rows.map { $0["inning"].int } == Array(1...totals.innings.count))
        #expect(fixture["balls"].rows.count == totals.innings.reduce(0) { $0 + $1.deliveries })
        #expect(fixture["status"].string == "Finished")
        #expect(fixture["note"].string?.isEmpty == false)
        for (index, row) in rows.enumerated() {
            let scoreboard = "S\(index + 1)"
            func of(_ name: String) -> [JSON] { fixture[name].rows.filter { $0["scoreboard"].string == scoreboard } }
            func sum(_ rows: [JSON], _ key: String) -> Int { rows.reduce(0) { $0 + ($1[key].int ?? 0) } }
            let extra = try #require(of("scoreboards").first { $0["type"].string == "extra" })
            let scored = sum(of("batting"), "score") + (extra["total"].int ?? 0)
            #expect(scored == row["score"].int, "\(scoreboard)")
            let notBowlers = ["bye", "leg_bye", "penalty"].reduce(0) { $0 + (extra[$1].int ?? 0) }
            let conceded = sum(of("bowling"), "runs") + notBowlers
            #expect(conceded == row["score"].int, "\(scoreboard)")
            let out = of("batting").count { $0["wicket_id"].int != 84 }
            #expect(out == row["wickets"].int, "\(scoreboard)")
            let balls = of("balls")
            let runs = ["runs", "bye", "leg_bye"].reduce(0) { total, key in
                total + balls.reduce(0) { $0 + ($1["score"][key].int ?? 0) }
            }
            #expect(runs + (extra["penalty"].int ?? 0) == row["score"].int, "\(scoreboard): the balls add up")
        }
    }

    @Test(arguments: Samples.matches) func eachDeliveryHasAFrameOfItsOwn(_ id: Int64) throws {
        let tape = try Samples.tape(id)
        let deliveries = tape.frames.filter { $0.label.hasPrefix("S") && $0.label.hasSuffixOfScore }
        let all = Totals(try JSON(try Samples.bytes("matches/\(id).json"))).innings.reduce(0) { $0 + $1.deliveries }
        #expect(deliveries.count == all)
        #expect(zip(tape.frames, tape.frames.dropFirst()).allSatisfy { $0.offset <= $1.offset })
        #expect(tape.frames.prefix(3).map(\.label) == ["NS", "Toss", "1st Innings"])
        #expect(tape.frame(2).offset == 0)
        let last = tape.frames.suffix(2)
        #expect(last.map(\.label) == ["Finished", "Gone"])
        #expect(last.map(\.isListed) == [true, false])
    }

    @Test func idsGrowAndSurviveFromFrameToFrame() throws {
        let tape = try Samples.tape(1_178_424)
        var seen: [Int: Set<Int>] = [:]
        for index in stride(from: 0, to: tape.frames.count, by: 9) {
            let fixture = try Samples.fixture(tape, index)
            let ids = fixture["balls"].rows.compactMap { $0["id"].int }
            #expect(ids == ids.sorted() && Set(ids).count == ids.count)
            for row in fixture["batting"].rows {
                seen[try #require(row["id"].int), default: []].insert(try #require(row["player_id"].int))
            }
        }
        #expect(seen.values.allSatisfy { $0.count == 1 }, "a row's id stays with its batter")
    }

    @Test func labelsRepeatForWidesAndStopAtTheSixthBall() throws {
        let tape = try Samples.tape(1_304_076)
        let balls = try Samples.fixture(tape, tape.frames.count - 1)["balls"].rows
        for (ball, next) in zip(balls, balls.dropFirst()) where ball["scoreboard"] == next["scoreboard"] {
            let isLegal = ball["score"]["ball"].bool == true && ball["score"]["noball"].int == 0
            let label = try #require(ball["ball"].double)
            let following = try #require(next["ball"].double)
            if !isLegal {
                #expect(label == following, "an illegal ball has the label of its replacement")
            } else {
                #expect(following > label)
            }
        }
        let tenths = balls.map { Int((($0["ball"].double ?? 0) * 10).rounded()) }
        #expect(tenths.allSatisfy { $0 % 10 != 0 }, "never 1.0")
    }

    @Test func aSeventhLegalBallIsLabelledSeven() throws {
        let tape = try Samples.tape(1_298_152)
        let index = try #require(tape.position(of: "S1 8.7"))
        #expect(tape.frame(index).label == "S1 8.7 79/5")
        let fixture = try Samples.fixture(tape, index)
        #expect(fixture["balls"].rows.last?["ball"].double == 8.7)
        #expect(fixture["runs"].rows.first?["overs"].double == 9)
        let penalty = try Samples.fixture(tape, try #require(tape.position(of: "S1 8.3")))
        let extra = penalty["scoreboards"].rows.first { $0["type"].string == "extra" }
        #expect(extra?["penalty"].int == 5)
        #expect(penalty["balls"].rows.last?["score"]["runs"].int == 1, "no ball accounts for penalty runs")
    }

    @Test func aMiscountedOverIsAnOver() throws {
        let tape = try Samples.tape(501_255)
        let last = try #require(tape.frames.lastIndex { $0.label.hasPrefix("S2 9.5 ") })
        let fixture = try Samples.fixture(tape, last)
        #expect(fixture["runs"].rows.last?["overs"].double == 10)
        #expect(fixture["rpc_overs"].string == "13")
        #expect(fixture["rpc_target"].string == "102")
        #expect(fixture["note"].string == "Target 102 runs")
        #expect(tape.frames.contains { $0.label == "Int." })
        let end = try Samples.fixture(tape, tape.frames.count - 2)
        #expect(
            end["note"].string
                == "Royal Challengers Bangalore won by 4 wickets (With 3 balls remaining) (D/L)")
    }

    @Test func theSecondWicketOfADeliveryShowsInTheNextFrame() throws {
        let tape = try Samples.tape(1_384_429)
        let index = try #require(tape.position(of: "S1 24.2"))
        let before = try Samples.fixture(tape, index)
        let after = try Samples.fixture(tape, index + 1)
        #expect(tape.frame(index + 1).label == "S1 Timed Out")
        #expect(before["runs"].rows[0]["wickets"].int == 4)
        #expect(after["runs"].rows[0]["wickets"].int == 5)
        #expect(after["balls"] == before["balls"])
        let mathews = try #require(after["batting"].rows.last)
        #expect(mathews["ball"].int == 0 && mathews["wicket_id"].int != 84 && mathews["fow_score"].int == 135)
        #expect(before["balls"].rows.last?["score"]["name"].string == "Catch Out")
    }

    @Test func aRetiredBatterIsNotOut() throws {
        let tape = try Samples.tape(1_273_750)
        let fixture = try Samples.fixture(tape, try #require(tape.position(of: "S2 4.1")))
        let ball = try #require(fixture["balls"].rows.last)
        #expect(ball["score"]["name"].string == "1 Run + Retired Hurt")
        #expect(ball["score"]["out"].bool == false && ball["score"]["is_wicket"].bool == false)
        #expect(fixture["runs"].rows.last?["wickets"].int == 0)
    }

    @Test func namesTheKindsOfDeliveries() throws {
        var names: [String: JSON] = [:]
        for id in Samples.matches {
            let tape = try Samples.tape(id)
            for ball in try Samples.fixture(tape, tape.frames.count - 1)["balls"].rows {
                names[ball["score"]["name"].string ?? ""] = ball["score"]
            }
        }
        func score(_ name: String) throws -> JSON { try #require(names[name], "\(name) in \(names.keys.sorted())") }
        #expect(try score("FOUR")["four"].bool == true)
        #expect(try score("SIX")["runs"].int == 6)
        #expect(try score("6 Runs")["six"].bool == false, "run and overthrown")
        #expect(try score("5 Wides")["ball"].bool == false)
        #expect(try score("5 Wides")["runs"].int == 5)
        #expect(try score("1 No Ball")["noball_runs"].int == 1)
        #expect(try score("1 No Ball")["ball"].bool == true)
        #expect(try score("1 Run + Run Out")["out"].bool == true)
        #expect(try score("1 Run + Obstructing Out")["out"].bool == true)
        #expect(try score("1 Run + Retired Out")["out"].bool == true)
        #expect(try score("No Run")["id"].int == 82)
        #expect(try score("Catch Out")["id"].int == 54)
        let ids = names.values.compactMap { $0["id"].int }
        #expect(Set(ids).count == ids.count, "no two names share an id")
    }

    @Test func aNewBatterTakesTheSlotOfTheOneWhoIsOut() throws {
        let tape = try Samples.tape(1_270_836)
        let balls = try Samples.fixture(tape, tape.frames.count - 1)["balls"].rows
        for (ball, next) in zip(balls, balls.dropFirst()) where ball["scoreboard"] == next["scoreboard"] {
            let before = [ball["batsman_one_on_creeze_id"], ball["batsman_two_on_creeze_id"]]
            let after = [next["batsman_one_on_creeze_id"], next["batsman_two_on_creeze_id"]]
            for slot in 0..<2 where after.contains(before[slot]) { #expect(after[slot] == before[slot]) }
            #expect(after.contains(next["batsman_id"]))
        }
    }

    @Test func superOversGoOnCounting() throws {
        let tape = try Samples.tape(1_216_517)
        let end = try Samples.fixture(tape, tape.frames.count - 1)
        #expect(end["runs"].rows.map { $0["score"].int } == [176, 176, 5, 5, 11, 15])
        #expect(end["note"].string == "Match tied (Kings XI Punjab won the Super Over)")
        #expect(end["super_over"].bool == true)
        let start = try Samples.fixture(tape, try #require(tape.position(of: "4th Innings")))
        #expect(start["note"].string == "Target 6 runs")
        let second = try Samples.fixture(tape, try #require(tape.position(of: "2nd Innings")))
        #expect(second["super_over"].bool == false)
        #expect(second["note"].string == "Target 177 runs")
        let final = try Samples.tape(1_144_530)
        #expect(
            try Samples.fixture(final, final.frames.count - 1)["note"].string
                == "Match tied (England won on boundary count)")
    }

    @Test func aTestHasBreaksAndAFollowOn() throws {
        let tape = try Samples.tape(426_416)
        let labels = tape.frames.map(\.label)
        for phase in ["Lunch", "Tea Break", "Stump Day 1", "Stump Day 2", "Innings Break", "3rd Innings"] {
            #expect(labels.contains(phase), "\(phase)")
        }
        let end = try Samples.fixture(tape, tape.frames.count - 1)
        #expect(end["follow_on"].bool == true)
        #expect(end["total_overs_played"] == .null)
        #expect(end["note"].string == "England won by an innings and 225 runs")
        #expect(end["type"].string == "Test/5day")
        #expect(end["round"].string == "4th Test")
        let second = try Samples.fixture(tape, try #require(tape.position(of: "2nd Innings")))
        #expect(second["follow_on"].bool == false && second["note"] == .null)
    }

    @Test func aMatchWithoutResultIsInterruptedAndEndsWithoutWinner() throws {
        let tape = try Samples.tape(1_178_424)
        #expect(tape.frames.suffix(3).map(\.label) == ["Int.", "Finished", "Gone"])
        let end = try Samples.fixture(tape, tape.frames.count - 1)
        #expect(end["winner_team_id"] == .null)
        #expect(end["draw_noresult"].string == "no-result")
        #expect(end["note"].string == "No result")
    }

    @Test func theResultIsKnownFromTheFrameThatSaysFinished() throws {
        let tape = try Samples.tape(1_304_076)
        let before = try Samples.fixture(tape, tape.frames.count - 3)
        let after = try Samples.fixture(tape, tape.frames.count - 2)
        #expect(before["winner_team_id"] == .null && before["status"].string == "2nd Innings")
        #expect(before["man_of_match_id"] == .null)
        #expect(after["winner_team_id"] == after["localteam_id"] && after["status"].string == "Finished")
        #expect(after["note"].string == "Rajasthan Royals won by 7 runs")
        #expect(after["manofmatch"]["fullname"].string == "YS Chahal")
        #expect(after["localteam"]["code"].string == "RR" && after["visitorteam"]["code"].string == "KKR")
        #expect(after["league_id"].int == 1 && after["league"]["code"].string == "IPL")
        #expect(after["round"].string == "30th Match")
    }

    @Test func tossAndLineupComeBeforePlay() throws {
        let tape = try Samples.tape(1_426_299)
        let first = try Samples.fixture(tape, 0)
        let toss = try Samples.fixture(tape, 1)
        #expect(first["toss_won_team_id"] == .null && first["lineup"].rows.isEmpty && first["elected"] == .null)
        #expect(toss["toss_won_team_id"] == toss["localteam_id"] && toss["elected"].string == "batting")
        #expect(toss["lineup"].rows.count == 24)
        #expect(toss["lineup"].rows.count { $0["lineup"]["substitution"].bool == true } == 2, "the impact players")
        #expect(toss["status"].string == "NS" && toss["runs"].rows.isEmpty)
    }

    @Test(arguments: [(1_304_076, 300...345), (1_178_424, 80...110)] as [(Int64, ClosedRange<Int>)])
    func playedFortyTimesAsFastItTakes(_ id: Int64, _ seconds: ClosedRange<Int>) throws {
        let tape = try Samples.tape(id)
        #expect(seconds.contains(tape.frame(tape.frames.count - 2).offset / 40), "up to the result")
    }

    @Test func tornRowsLagBehindTheBalls() throws {
        let tape = try Samples.tape(1_178_424)
        let index = try #require(tape.position(of: "S1 2.3"))
        let clock = TapeClock(startsAt: Samples.start)
        let torn = try JSON(tape.livescoreFixture(index, clock: clock, rowsBehind: 1))
        let before = try JSON(tape.livescoreFixture(index - 1, clock: clock))
        let whole = try JSON(tape.livescoreFixture(index, clock: clock))
        #expect(torn["balls"] == whole["balls"])
        for rows in ["runs", "batting", "bowling", "scoreboards"] { #expect(torn[rows] == before[rows]) }
    }

    @Test func timesFollowTheClock() throws {
        let tape = try Samples.tape(1_304_076)
        var clock = TapeClock(startsAt: Samples.start, speed: 40)
        let index = try #require(tape.position(of: "S1 0.2"))
        func updated() throws -> String? {
            try JSON(tape.livescoreFixture(index, clock: clock))["balls"].rows.last?["updated_at"].string
        }
        #expect(tape.frame(index).offset == 80)
        #expect(try updated() == ProviderTime.text(Samples.start + 2))
        // Held after the first ball, and shown a minute later.
        clock.reach(80, at: Double(Samples.start + 61), speed: 40)
        #expect(try updated() == ProviderTime.text(Samples.start + 61))
        #expect(clock.time(of: 40) == Samples.start + 1, "the past stays")
        #expect(clock.time(of: 79) <= Samples.start + 61)
    }

    @Test func ballsAreEmbeddedOnlyWhenAskedFor() throws {
        let tape = try Samples.tape(1_178_424)
        let bare = try Samples.fixture(tape, 20, includes: .none)
        for name in ["balls", "runs", "batting", "league", "localteam"] { #expect(!bare.keys.contains(name)) }
        let some = try Samples.fixture(tape, 20, includes: FixtureIncludes("runs,balls.catchstump"))
        #expect(some["runs"].rows.count == 1)
        #expect(some["balls"].rows.first?.keys.contains("catchstump") == true)
        #expect(some["balls"].rows.first?.keys.contains("batsmanone") == false)
    }

    @Test func findsFramesByTheirLabel() throws {
        let tape = try Samples.tape(1_304_076)
        let index = try #require(tape.position(of: "S1  19.4"))
        #expect(tape.frame(index).label.hasPrefix("S1 19.4 "))
        #expect(!tape.frame(index + 1).label.hasPrefix("S1 19.4 "))
        #expect(tape.position(of: "S1 19.4 nonsense") == nil)
        #expect(tape.position(of: "S1 1") == nil)
    }

    @Test(arguments: [
        (#"{"batter":0,"extras":1,"total":1}"#, #""extras":{"wides":1},"#, "stumped", "1 Wide + Stump Out", false),
        (#"{"batter":0,"extras":2,"total":2}"#, #""extras":{"wides":2},"#, "run out", "2 Wides + Run Out", false),
        (#"{"batter":0,"extras":1,"total":1}"#, #""extras":{"byes":1},"#, "run out", "1 Bye + Run Out", true),
        (#"{"batter":0,"extras":0,"total":0}"#, "", "caught and bowled", "Catch Out", true),
        (#"{"batter":0,"extras":0,"total":0}"#, "", "hit wicket", "Hit Wicket", true),
        (
            #"{"batter":2,"extras":1,"total":3}"#, #""extras":{"noballs":1},"#, "run out",
            "1 No Ball + 2 Runs + Run Out", true
        ),
    ]) func namesWicketsTogetherWithExtras(
        _ runs: String, _ extras: String, _ kind: String, _ name: String, _ ball: Bool
    )
        throws
    {
        let json = #"""
            {"info":{"teams":["A B","C"],"match_type":"T20","season":2020,"outcome":{"result":"no result"},
            "players":{"A B":["x","y"],"C":["z"]}},"innings":[{"team":"A B","overs":[{"over":0,"deliveries":[{"batter":"x",
            "bowler":"z","non_striker":"y",\#(extras)"runs":\#(runs),"wickets":[{"player_out":"x","kind":"\#(kind)",
            "fielders":[{}]}]}]}]}]}
            """#
        let tape = Tape(match: try CricsheetMatch(json: Array(json.utf8)), id: 7)
        let ball0 = try #require(try Samples.fixture(tape, 3)["balls"].rows.first)
        #expect(ball0["score"]["name"].string == name)
        #expect(ball0["score"]["ball"].bool == ball)
        #expect(ball0["batsmanout_id"] == ball0["batsman_id"])
        #expect((ball0["catchstump_id"] == ball0["bowler_id"]) == (kind == "caught and bowled"))
    }

    @Test func refusesWhatIsNotAMatch() throws {
        for text in ["", "<html>", "[]", "{}", #"{"info":{"teams":["A"]},"innings":[]}"#] {
            #expect(throws: CricsheetError.self) { try CricsheetMatch(json: Array(text.utf8)) }
        }
    }
}

extension String {
    /// "S1 19.4 162/3".
    fileprivate var hasSuffixOfScore: Bool {
        let words = split(separator: " ")
        return words.count == 3 && words[2].contains("/")
    }
}
