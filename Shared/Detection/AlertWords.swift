import Cricket
import SightscreenModels

/// What an alert says of one event: the title it would have, how it came about, and how it is named beside a greater one.
struct AlertWords: Codable, Sendable, Equatable {
    /// From the fullest to the shortest; the last one fits any Lock Screen.
    var titles: [String]
    /// "c Varun b Cummins, off 61 balls"; nil when the title says it all.
    var detail: String?
    /// "Buttler out for 103".
    var mention: String
    /// Where the event has its place among others.
    var rank: Int
    var sound: Bool
    /// Whether followers hear it who want key alerts only.
    var isKey: Bool
    /// Whether the body goes on with how the match stands: a result and the end of an innings say it themselves.
    var takesScore: Bool
    /// Whether `detail` tells of the wicket of its ball, too.
    var detailHasWicket: Bool?
}
