import Cricket

/// The day and session of a match over several days, remembered from the provider's names for its breaks. Whatever the
/// provider did not say is left out; no frame tells how many overs a day has left.
struct MatchDay: Codable, Sendable, Equatable {
    /// The day whose stumps were seen last; nil before the first.
    private var ended: Int?
    /// The session in play, from 1; nil when an interval may have passed under another name.
    private var session: Int?
    private var isInBreak = false

    /// No two balls of one day are so far apart, and no two days are nearer.
    private static let nightMin = 6 * 3_600
    private static let day = 86_400
    /// Play may begin earlier than on the first day, to make up for rain.
    private static let earlyMax = 3 * 3_600

    mutating func observe(_ snapshot: MatchSnapshot) {
        guard snapshot.format == .firstClass else { return }
        defer {
            switch snapshot.phase {
            case .lunch, .tea, .dinner: isInBreak = true
            default: isInBreak = false
            }
        }
        switch snapshot.phase {
        case .notStarted: session = 1
        case .stumps(let day):
            ended = day
            session = 1
        case .lunch where !isInBreak: session = next(after: 1)
        case .dinner where !isInBreak: session = next(after: 2)
        // Tea is the second interval in a match by day and the first in one by night.
        case .tea where !isInBreak: session = next(after: nil)
        // An interval may be taken together with an innings break or an interruption.
        case .inningsBreak, .interrupted: session = session == 3 ? 3 : nil
        default: break
        }
    }

    private func next(after usual: Int?) -> Int? {
        guard let current = session ?? usual, current < 3 else { return nil }
        return current + 1
    }

    /// "Day 2 · Session 3", "Day 2"; nil when the day is not known, and at stumps, which say their day.
    func text(_ snapshot: MatchSnapshot) -> String? {
        guard snapshot.format == .firstClass, !snapshot.innings.isEmpty else { return nil }
        switch snapshot.phase {
        case .innings, .inningsBreak, .interrupted: break
        case .lunch, .tea, .dinner: return day(of: snapshot).map { "Day \($0)" }
        default: return nil
        }
        return day(of: snapshot).map { day in "Day \(day)" + (session.map { " · Session \($0)" } ?? "") }
    }

    private func day(of snapshot: MatchSnapshot) -> Int? {
        let byTime = Self.dayByTime(of: snapshot)
        guard let ended else { return byTime }
        // Stumps may have been missed.
        return max(ended + 1, byTime ?? 0)
    }

    /// The day by the times of the balls, where the days that had play are as many as those since the start. A day
    /// without a ball counts, a rest day does not, and the balls cannot tell the two apart.
    private static func dayByTime(of snapshot: MatchSnapshot) -> Int? {
        guard let startsAt = snapshot.startsAt else { return nil }
        var played = 1
        var last: Int?
        for innings in snapshot.innings {
            for ball in innings.balls {
                guard ball.updatedAt > 0 else { return nil }
                if let last, ball.updatedAt - last > nightMin { played += 1 }
                last = max(last ?? 0, ball.updatedAt)
            }
        }
        guard let last, last >= startsAt - earlyMax else { return nil }
        let since = (last - startsAt + earlyMax) / day + 1
        return since == played && played <= 6 ? played : nil
    }
}
