import Cricket
import SightscreenModels

extension MatchMachine {
    /// An event whose alert waits for a second part of the frame or a second frame to agree, or for the end of the
    /// innings or of the match.
    struct WaitingAlert: Codable, Sendable, Equatable {
        var event: MatchEvent
        /// When it happened, milliseconds.
        var moment: Int64
        var firstFetchedAt: Int64
        /// Set once the event is agreed upon and waits only for the end that comes of it.
        var hold: Hold?

        struct Hold: Codable, Sendable, Equatable {
            /// Milliseconds.
            var until: Int64
            var words: AlertWords
            var entry: CooldownFilter.Announced
        }
    }

    /// Whether the day's play is over, and nothing waits to say so: the activities end after that alert, not before it.
    func isOverForToday(_ phase: MatchPhase) -> Bool {
        guard case .stumps = phase else { return false }
        return !waiting.contains { $0.event.kind == .stumps }
    }

    /// The correction of an announced event that is gone; it waits for a second frame to confirm that.
    struct WaitingCorrection: Codable, Sendable, Equatable {
        var key: String
        var firstFetchedAt: Int64
    }
}
