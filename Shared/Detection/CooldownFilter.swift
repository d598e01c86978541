import Cricket
import SightscreenModels

/// Keeps an event from alerting twice: once per key, for the whole match, whatever the provider corrects in between.
///
/// An event that was taken back, and of which the correction was told, frees its key for a later ball: the batter's real
/// wicket is still to come. A wicket does so in any case, as does a result when play goes on (a super over). The same ball
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
        /// Whether followers of key alerts only were told.
        var isKey: Bool?
        /// Of whom it was, as it was told.
        var name: String?
        /// The correction was told.
        var isTakenBack: Bool?
    }

    /// About twenty in a T20, a hundred in a Test.
    private(set) var announced: [Announced] = []

    /// - Parameter snapshot: the frame that shows it; nil when time alone brings it.
    mutating func record(_ event: MatchEvent, in snapshot: MatchSnapshot?, isKey: Bool = true, name: String? = nil) {
        announced.append(Self.entry(event, in: snapshot, isKey: isKey, name: name))
    }

    mutating func record(_ entry: Announced) { announced.append(entry) }

    static func entry(_ event: MatchEvent, in snapshot: MatchSnapshot?, isKey: Bool, name: String?) -> Announced {
        Announced(
            key: event.key, kind: event.kind, value: event.value, innings: event.innings, player: event.playerID,
            ball: ball(of: event, in: snapshot), ballID: event.ballID, isKey: isKey, name: name)
    }

    /// What was told under this key and was not taken back.
    func standing(_ key: String) -> Announced? { announced.last { $0.key == key && $0.isTakenBack != true } }

    /// The correction of what was told under this key is told: it never is again.
    mutating func takeBack(_ key: String) {
        guard let place = announced.lastIndex(where: { $0.key == key && $0.isTakenBack != true }) else { return }
        announced[place].isTakenBack = true
    }

    /// The ball that the event is of. A wicket that only the rows show is told of the ball before: its own is the one that
    /// the row names, which may come a moment later and is no other wicket then.
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

    /// The same key, or the same thing on the same delivery under another ball id (rows vanish and come back).
    private static func isSame(_ old: Announced, _ event: MatchEvent) -> Bool {
        if old.key == event.key { return true }
        return old.kind == event.kind && old.innings == event.innings && old.player == event.playerID
            && old.value == event.value && old.ball != nil && old.ball == event.ball
    }

    private static func isLater(_ event: MatchEvent, than old: Announced, in snapshot: MatchSnapshot?) -> Bool {
        if let was = old.innings, let now = event.innings, was != now { return now > was }
        if let was = label(old.ball), let now = label(event.ball), was != now { return now > was }
        // The same label: another delivery only when the one announced still stands beside it.
        guard let snapshot, let was = old.ballID, let now = event.ballID, now > was else { return false }
        return snapshot.innings.contains { $0.number == event.innings && $0.balls.contains { $0.id == was } }
    }

    private static func label(_ text: String?) -> Int? {
        guard let parts = text?.split(separator: "."), parts.count == 2, let over = Int(parts[0]),
            let ball = Int(parts[1]), (0...100_000).contains(over), (0...100).contains(ball)
        else { return nil }
        return over * 1_000 + ball
    }
}
