import Cricket

/// Notices an answer that is older than one already taken in: the provider answers from several machines, and one of
/// them may lag.
///
/// An older answer shows less of the match, and nothing in it was touched as late as the newest row seen. The same shows
/// when the provider deletes a ball without touching any other row, so such an answer is put aside once only: when the
/// next one says the same, it is the provider's word.
struct FrameOrder: Codable, Sendable, Equatable {
    /// What of a frame can be compared with another.
    private struct Mark: Codable, Sendable, Equatable {
        /// The newest `updated_at` of totals and balls, seconds since 1970.
        var touched: Int
        var balls: Int
        var runs: Int
        /// Both nil in what a former release stored.
        var wickets: Int?
        var innings: Int?

        init(_ snapshot: MatchSnapshot) {
            touched = 0
            balls = 0
            runs = 0
            var wickets = 0
            for innings in snapshot.innings {
                touched = max(touched, innings.updatedAt ?? 0)
                for ball in innings.balls { touched = max(touched, ball.updatedAt) }
                balls += innings.balls.count
                runs += innings.runs
                wickets += innings.wickets
            }
            self.wickets = wickets
            innings = snapshot.innings.count
        }

        func isOlder(than other: Mark) -> Bool {
            // A batter who is timed out is one more wicket and no ball; an innings begins without either.
            touched < other.touched
                && (balls < other.balls || runs < other.runs || (wickets ?? 0) < (other.wickets ?? 0)
                    || (innings ?? 0) < (other.innings ?? 0))
        }
    }

    private var newest: Mark?
    private var aside: Mark?

    /// Whether the frame is to be taken in.
    mutating func admits(_ snapshot: MatchSnapshot) -> Bool {
        let mark = Mark(snapshot)
        if let newest, mark.isOlder(than: newest), mark != aside {
            aside = mark
            return false
        }
        aside = nil
        newest = mark
        return true
    }
}
