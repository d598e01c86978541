import Cricket

/// Rejects an answer that is older than one already read: the provider answers from several machines, and one of them
/// may lag.
///
/// An older answer shows less of the match, and none of its rows was updated as late as the newest row seen. The same
/// happens when the provider deletes a ball without touching any other row, so such an answer is rejected only once:
/// when the next one says the same, it counts.
struct FrameOrder: Codable, Sendable, Equatable {
    /// The part of a frame that orders it against another.
    private struct Mark: Codable, Sendable, Equatable {
        /// The newest `updated_at` of totals and balls, seconds since 1970.
        var touched: Int
        var balls: Int
        var runs: Int
        var wickets: Int
        var innings: Int

        init(_ snapshot: MatchSnapshot) {
            touched = 0
            balls = 0
            runs = 0
            wickets = 0
            for innings in snapshot.innings {
                touched = max(touched, innings.updatedAt ?? 0)
                for ball in innings.balls { touched = max(touched, ball.updatedAt) }
                balls += innings.balls.count
                runs += innings.runs
                wickets += innings.wickets
            }
            innings = snapshot.innings.count
        }

        func isOlder(than other: Mark) -> Bool {
            // A batter who is timed out adds a wicket without a ball, and an innings begins without either.
            touched < other.touched
                && (balls < other.balls || runs < other.runs || wickets < other.wickets
                    || innings < other.innings)
        }
    }

    private var newest: Mark?
    private var aside: Mark?

    /// Whether the frame is to be read.
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
