import Cricket
import SportMonks
import Testing

/// What rain made of a chase, from the provider's fields or its note.
@Suite struct TargetTests {
    /// 149 in the first innings.
    private func snapshot(_ members: String) throws -> MatchSnapshot {
        let runs = #""runs":[{"team_id":1,"inning":1,"score":149,"wickets":6,"overs":20}],"total_overs_played":20"#
        let fixture = try LivescoresAnswer.fixtures(from: Recording.list(Recording.fixture("\(runs),\(members)"))).first
        return try #require(fixture).snapshot()
    }

    @Test(
        arguments: [
            ("25.3", Overs(completed: 25, balls: 3)), (#""25.3""#, Overs(completed: 25, balls: 3)),
            ("13", Overs(completed: 13, balls: 0)), (#""8""#, Overs(completed: 8, balls: 0)),
            ("4.6", Overs(completed: 5, balls: 0)), ("0.4", Overs(completed: 0, balls: 4)), ("0", nil), ("-3", nil),
            ("null", nil), ("1e9", nil),
        ] as [(String, Overs?)])
    func oversThatRainLeftMayHaveBalls(json: String, overs: Overs?) throws {
        let match = try snapshot(#""rpc_overs":\#(json),"rpc_target":53"#)
        #expect(match.revisedOvers == overs && match.revisedTarget == 53)
    }

    @Test(
        arguments: [
            ("Target 53 runs", 53, nil), ("Target 53 runs in 8 overs", 53, Overs(completed: 8, balls: 0)),
            ("Revised target: 120 from 14.3 overs (D/L)", 120, Overs(completed: 14, balls: 3)),
            ("DLS target is 53 off 48 balls.", 53, Overs(completed: 8, balls: 0)),
            // The plain one, and what is none.
            ("Target 150 runs", nil, nil), ("Rain stopped play", nil, nil), ("Target", nil, nil),
            ("Target to be announced, 3 overs lost", nil, nil), ("Target 0 runs", nil, nil),
            ("X won by 53 runs", nil, nil),
        ] as [(String, Int?, Overs?)])
    func aTargetThatStandsOnlyInTheNoteIsUsed(note: String, runs: Int?, overs: Overs?) throws {
        let match = try snapshot(#""note":"\#(note)","rpc_target":null"#)
        #expect(match.revisedTarget == runs && match.revisedOvers == overs)
    }

    /// The side that chases is the visitors': their D/L data count, and are strings.
    @Test(
        arguments: [
            (#"{"score":"134","overs":"16","wickets_out":null}"#, nil, Overs(completed: 16, balls: 0)),
            (#"{"score":"134","overs":"15.3","wickets_out":"0"}"#, nil, Overs(completed: 15, balls: 3)),
            (#"{"rpc_overs":"16","rpc_targets":"134"}"#, 134, Overs(completed: 16, balls: 0)),
            (#"{"total_overs_played":"16"}"#, nil, Overs(completed: 16, balls: 0)),
            // The last ball of the chase was bowled.
            (#"{"score":"134","overs":"6.1"}"#, nil, Overs(completed: 6, balls: 1)),
            // As it stood when it was interrupted, now or before; more than there can be; nothing.
            (#"{"score":"45","overs":"6.1","wickets_out":"1"}"#, nil, nil),
            (#"{"score":"31","overs":"4","wickets_out":"1"}"#, nil, nil), (#"{"overs":"50"}"#, nil, nil),
            (#"{"score":null,"overs":null,"wickets_out":null}"#, nil, nil), ("null", nil, nil), ("[]", nil, nil),
        ] as [(String, Int?, Overs?)])
    func theChasingSidesDataAreRead(json: String, target: Int?, overs: Overs?) throws {
        let runs = [("1", "149", "20"), ("2", "45", "6.1")].map {
            #"{"team_id":\#($0.0),"inning":\#($0.0),"score":\#($0.1),"wickets":1,"overs":\#($0.2)}"#
        }
        let other = #"{"score":"9","overs":"9"}"#
        let members =
            #""runs":[\#(runs.joined(separator: ","))],"total_overs_played":20,"localteam_dl_data":\#(other),"#
            + #""visitorteam_dl_data":\#(json)"#
        let list = Recording.list(Recording.fixture(members))
        let match = try #require(LivescoresAnswer.fixtures(from: list).first).snapshot()
        #expect(match.revisedTarget == target && match.revisedOvers == overs)
    }

    @Test func theFieldThatIsMeantForItGoesBeforeTheNote() throws {
        let match = try snapshot(#""note":"Target 53 runs in 9 overs","rpc_target":"60","rpc_overs":8.2"#)
        #expect(match.revisedTarget == 60 && match.revisedOvers == Overs(completed: 8, balls: 2))
    }

    /// Of a super over the note has its own target.
    @Test func aSuperOversTargetIsNotTheMatchs() throws {
        let rows = (1...4).map { #"{"team_id":\#($0 % 2 + 1),"inning":\#($0),"score":149,"wickets":6,"overs":20}"# }
        let list = Recording.list(
            Recording.fixture(#""note":"Target 8 runs","runs":[\#(rows.joined(separator: ","))]"#))
        #expect(try #require(LivescoresAnswer.fixtures(from: list).first).snapshot().revisedTarget == nil)
    }

    @Test func aPlayerIsNamedAsInTheLineUp() throws {
        func player(_ name: String) -> String {
            #"{"id":9,"firstname":"\#(name)","lastname":"Al Hasan","fullname":"\#(name) Al Hasan"}"#
        }
        let ball = """
            {"id":5,"team_id":1,"scoreboard":"S1","ball":0.1,"batsman_id":9,"bowler_id":4,"batsman":\(player("Sakib")),\
            "score":{"name":"1 Run","runs":1,"ball":true}}
            """
        let list = Recording.list(Recording.fixture(#""lineup":[\#(player("Shakib"))],"balls":[\#(ball)]"#))
        let match = try #require(LivescoresAnswer.fixtures(from: list).first).snapshot()
        #expect(match.players[9]?.fullName == "Shakib Al Hasan")
    }
}
