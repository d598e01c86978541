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

    /// Whether an earlier alert has said all that this one would: the break before a super over's chase what it needs, or
    /// the last wicket of an innings without a target after it that the side is all out.
    func isTold(_ event: MatchEvent, in snapshot: MatchSnapshot) -> Bool {
        guard let number = event.innings else { return false }
        switch event.kind {
        case .closeFinish where MatchSituation.isSuperOver(number, in: snapshot):
            return cooldown.standing("inningsBreak:S\(number - 1)") != nil
        case .inningsBreak where snapshot.format == .firstClass:
            guard let innings = snapshot.innings.first(where: { $0.number == number }), let last = innings.balls.last,
                InningsScore(innings).isAllOut
            else { return false }
            return cooldown.announced.contains {
                $0.innings == number && $0.ballID == last.id && $0.isTakenBack != true
                    && [.wicket, .hatTrick].contains($0.kind)
            }
        default: return false
        }
    }
}
