import Cricket
import SightscreenModels

/// Keeps an event from alerting twice: each key alerts once in a match, whatever the provider corrects in between.
///
/// A retracted event whose correction was announced frees its key for a later ball, because the batter's real wicket is
/// still to come. A wicket frees its key in any case, as does a result when play goes on (a super over). The same ball
/// never alerts twice.
struct CooldownFilter: Codable, Sendable, Equatable {
    struct Announced: Codable, Sendable, Equatable {
        var key: String
        var kind: EventKind
        var value: Int?
        var innings: Int?
        var player: Int64?
        var ball: String?
        var ballID: Int64?
        /// Whether followers of key alerts only heard it.
        var isKey: Bool?
        /// The player's name as it was announced.
        var name: String?
        /// Whether the correction was announced.
        var isTakenBack: Bool?
    }

    /// The announcements so far: about twenty in a T20, a hundred in a Test.
    private(set) var announced: [Announced] = []

    /// - Parameter snapshot: the frame that shows the event; nil when time alone brings it.
    mutating func record(_ event: MatchEvent, in snapshot: MatchSnapshot?, isKey: Bool = true, name: String? = nil) {
        announced.append(Self.entry(event, in: snapshot, isKey: isKey, name: name))
    }

    mutating func record(_ entry: Announced) { announced.append(entry) }

    static func entry(_ event: MatchEvent, in snapshot: MatchSnapshot?, isKey: Bool, name: String?) -> Announced {
        Announced(
            key: event.key, kind: event.kind, value: event.value, innings: event.innings, player: event.playerID,
            ball: ball(of: event, in: snapshot), ballID: event.ballID, isKey: isKey, name: name)
    }
    /// The announcement under this key that was not retracted.
    func standing(_ key: String) -> Announced? { announced.last { $0.key == key && $0.isTakenBack != true } }

    /// Marks the announcement as retracted once its correction is announced, so that it is not corrected again.
    mutating func takeBack(_ key: String) {
        guard let place = announced.lastIndex(where: { $0.key == key && $0.isTakenBack != true }) else { return }
        announced[place].isTakenBack = true
    }

    /// The ball on which the event fell. A wicket that only the rows show is announced on the ball before; its own ball
    /// is the one that the row names, which may arrive a moment later and is then no other wicket.
    private static func ball(of event: MatchEvent, in snapshot: MatchSnapshot?) -> String? {
        guard event.kind == .wicket, event.ballID == nil else { return event.ball }
        return snapshot?.innings.first { $0.number == event.innings }?.batting
            .first { $0.playerID == event.playerID }?.fellOn
    }

    /// Whether `event` may still alert, given the frame that shows it (nil when time alone brings it).
    func allows(_ event: MatchEvent, in snapshot: MatchSnapshot?) -> Bool {
        announced.allSatisfy { old in
            guard Self.isSame(old, event) else { return true }
            guard event.kind == .wicket || event.kind == .matchResult || old.isTakenBack == true else { return false }
            return Self.isLater(event, than: old, in: snapshot)
        }
    }

    /// Whether both have the same key, or are the same event on the same delivery under another ball id (rows vanish
    /// and come back).
    private static func isSame(_ old: Announced, _ event: MatchEvent) -> Bool {
        if old.key == event.key { return true }
        return old.kind == event.kind && old.innings == event.innings && old.player == event.playerID
            && old.value == event.value && old.ball != nil && old.ball == event.ball
    }

    private static func isLater(_ event: MatchEvent, than old: Announced, in snapshot: MatchSnapshot?) -> Bool {
        if let was = old.innings, let now = event.innings, was != now { return now > was }
        if let was = label(old.ball), let now = label(event.ball), was != now { return now > was }
        // With the same label it is another delivery only when the announced one still stands beside it.
        guard let snapshot, let was = old.ballID, let now = event.ballID, now > was else { return false }
        return snapshot.innings.contains { $0.number == event.innings && $0.balls.contains { $0.id == was } }
    }

    private static func label(_ text: String?) -> Int? {
        // In The Hundred a label is the number of the ball.
        if let number = text.flatMap({ Int($0) }), (0...100_000).contains(number) { return number }
        guard let parts = text?.split(separator: "."), parts.count == 2, let over = Int(parts[0]),
            let ball = Int(parts[1]), (0...100_000).contains(over), (0...100).contains(ball)
        else { return nil }
        return over * 1_000 + ball
    }
}
