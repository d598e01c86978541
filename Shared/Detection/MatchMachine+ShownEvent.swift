import Cricket
import SightscreenModels

extension MatchMachine {
    /// The event that `lastEvent` shows, with the place where it was first shown.
    struct ShownEvent: Codable, Sendable, Equatable {
        /// Balls after which the event disappears; an event that the next ball makes untrue ("KKR need 11", the toss)
        /// goes at once.
        private var ballsMax: Int {
            switch last.kind.known {
            case .closeFinish, .toss, .stumps: 0
            default: 6
            }
        }

        var key: String
        var last: ContentState.LastEvent
        var innings: Int?
        /// Balls of the match when it was first shown, for an event that has no ball of its own.
        var ballsBefore: Int

        init(_ event: MatchEvent, as last: ContentState.LastEvent, ballsBefore: Int) {
            key = event.key
            self.last = last
            innings = event.innings
            self.ballsBefore = ballsBefore
        }

        /// Whether more than `ballsMax` balls were bowled since, or the next innings has begun, into which only its
        /// target goes on.
        func isPast(in snapshot: MatchSnapshot) -> Bool {
            if let innings, last.kind.known != .inningsBreak,
                snapshot.innings.contains(where: { $0.number > innings && !$0.balls.isEmpty })
            {
                return true
            }
            guard let label = last.ball, let innings, let own = snapshot.innings.first(where: { $0.number == innings }),
                let place = own.balls.lastIndex(where: { $0.label == label })
            else { return MatchMachine.balls(of: snapshot) - ballsBefore > ballsMax }
            let later = snapshot.innings.reduce(0) { $0 + ($1.number > innings ? $1.balls.count : 0) }
            return own.balls.count - 1 - place + later > ballsMax
        }
    }
}
