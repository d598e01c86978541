import Cricket
import SightscreenModels

/// The words of an alert about one event: its title, how it came about, and how it is mentioned beside a more important
/// event.
struct AlertWords: Codable, Sendable, Equatable {
    /// The titles from the fullest to the shortest; the last one fits any Lock Screen.
    var titles: [String]
    /// How the event came about: "c Varun b Cummins, off 61 balls"; nil when the title says it all.
    var detail: String?
    /// What the body says when there is nothing else to say: who bats, or the top scorer.
    var spare: String?
    /// The event beside a more important one: "Buttler out for 103".
    var mention: String
    /// The event's place in the order of an alert.
    var rank: Int
    var sound: Bool
    /// Whether followers who want only key alerts hear it.
    var isKey: Bool
    /// Whether the body goes on with how the match stands. A result and the end of an innings say that themselves.
    var takesScore: Bool
    /// Whether `detail` also tells of the wicket on the event's ball.
    var detailHasWicket: Bool?
}
