public import Cricket
public import SightscreenModels
import Tapes

/// One line of `sightscreen replay --events`: an event with names instead of ids.
///
/// The line is a contract, since other programs parse it. Keys come in the order of the properties here; absent ones
/// are left out.
public struct EventLine: Sendable, Hashable {
    /// The number of the innings, from 1; super overs go on counting.
    public var innings: Int?
    /// The event's ball, as "15.5", or the ball before it where no ball shows the event.
    public var ball: String?
    public var event: EventKind
    /// Full names, as the feed has them.
    public var bowler: String?
    public var batter: String?
    public var playerOut: String?
    /// The multiple of 50 of a milestone, the length of a streak, or the number of sixes in a row.
    public var value: Int?

    /// - Parameter players: the players of the frame that shows the event.
    public init(_ event: MatchEvent, players: [Int64: Player]) {
        func name(_ id: Int64?) -> String? { id.flatMap { players[$0]?.fullName } }
        innings = event.innings
        ball = event.ball
        self.event = event.kind
        bowler = name(event.bowlerID)
        batter = name(event.batterID)
        playerOut = name(event.outID)
        value = event.value
    }

    /// The event as one JSON object, without a line feed.
    ///
    /// - Parameter retracted: whether the provider has taken the event back.
    public func json(retracted: Bool = false) -> String {
        var json = JSONBytes()
        json.object {
            if let innings { $0.field("innings", innings) }
            if let ball { $0.field("ball", ball) }
            $0.field("event", event.rawValue)
            if let bowler { $0.field("bowler", bowler) }
            if let batter { $0.field("batter", batter) }
            if let playerOut { $0.field("playerOut", playerOut) }
            if let value { $0.field("value", value) }
            if retracted { $0.field("retracted", true) }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
