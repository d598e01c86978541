import Cricket
import SportMonks
import Testing

/// Batters who leave the field without being out.
@Suite struct AbsenceTests {
    private static func innings(_ rows: String, balls: String = "", wickets: Int = 0) throws -> Innings {
        let members = """
            "runs":[{"team_id":1,"inning":1,"score":9,"wickets":\(wickets),"overs":0.2}],"batting":[\(rows)],\
            "balls":[\(balls)]
            """
        let list = Recording.list(Recording.fixture(members))
        guard let innings = try LivescoresAnswer.fixtures(from: list).first?.snapshot().innings.first else {
            throw FrameError.brokenTables
        }
        return innings
    }

    private static func row(_ player: Int, _ wicket: Int, _ more: String = "") -> String {
        """
        {"scoreboard":"S1","sort":\(player),"player_id":\(player),"wicket_id":\(wicket),"score":4,"ball":2\(more)}
        """
    }

    private static func ball(_ id: Int, _ label: String, _ pair: (Int, Int), _ name: String, _ score: Int) -> String {
        """
        {"id":\(id),"scoreboard":"S1","ball":\(label),"team_id":1,"batsman_id":\(pair.0),"bowler_id":21,\
        "batsman_one_on_creeze_id":\(pair.0),"batsman_two_on_creeze_id":\(pair.1),\
        "score":{"id":\(score),"name":"\(name)","runs":1,"ball":true,"is_wicket":\(name.hasSuffix("Out"))}}
        """
    }

    /// By the name in the row, by the frame's own name of the row's id, or by the provider's id for it.
    @Test func theRowSaysThatABatterRetired() throws {
        let named = try Self.innings(Self.row(11, 1733, #","result":{"id":1733,"name":"Retired Hurt"}"#))
        #expect(named.batting[0].absence == .retired)
        let byBall = try Self.innings(
            Self.row(11, 2) + "," + Self.row(12, 84), balls: Self.ball(1, "0.1", (11, 12), "Retired Hurt", 2))
        #expect(byBall.batting.map(\.absence) == [.retired, nil])
        let byID = try Self.innings(Self.row(11, 85))
        #expect(byID.batting[0].absence == .retired)
        #expect([named, byBall, byID].allSatisfy { $0.batting.allSatisfy { $0.dismissal == nil } })
    }

    @Test func theFramesOwnNameOfAnIDIsBelieved() throws {
        let innings = try Self.innings(
            Self.row(11, 85, #","bowling_player_id":21"#) + "," + Self.row(12, 84),
            balls: Self.ball(1, "0.1", (11, 12), "Stump Out", 85), wickets: 1)
        #expect(innings.batting[0].absence == nil)
        #expect(innings.batting[0].dismissal?.how == .stumped)
    }

    @Test func aBatterWhoCameBackIsAtTheCrease() throws {
        let balls = [
            Self.ball(1, "0.1", (11, 12), "Retired Hurt", 2), Self.ball(2, "0.2", (12, 13), "1 Run", 69),
            Self.ball(3, "0.3", (11, 12), "1 Run", 69),
        ]
        let rows = [Self.row(11, 2), Self.row(12, 84), Self.row(13, 84)].joined(separator: ",")
        #expect(try Self.innings(rows, balls: balls[..<2].joined(separator: ",")).batting[0].absence == .retired)
        #expect(try Self.innings(rows, balls: balls.joined(separator: ",")).batting[0].absence == nil)
    }

    @Test(arguments: ["Absent Hurt", "Absent", "absent out"])
    func anAbsentBatterIsNoWicket(name: String) throws {
        let rows =
            Self.row(11, 54, #","bowling_player_id":21"#) + "," + Self.row(12, 84) + ","
            + Self.row(13, 1733, #","result":{"id":1733,"name":"\#(name)"}"#)
        let innings = try Self.innings(rows, wickets: 2)
        #expect(innings.batting.map { $0.dismissal?.how } == [.caught, nil, nil])
        #expect(innings.batting[2].absence == .absent)
    }

    @Test func retiredOutIsOut() throws {
        let innings = try Self.innings(
            Self.row(11, 1733, #","result":{"id":1733,"name":"Retired Out"}"#), wickets: 1)
        #expect(innings.batting[0].dismissal?.how == .retiredOut)
        #expect(innings.batting[0].absence == nil)
    }
}
