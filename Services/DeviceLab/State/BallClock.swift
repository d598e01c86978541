import SightscreenModels

/// The times at which the provider showed each score, from which a Lock Screen's delay is counted.
///
/// A tape labels its frames by scoreboard, ball and total ("S1 12.3 87/6"), while a Lock Screen has the score and the
/// overs.
struct BallClock: Sendable {
    /// Balls that are remembered; a Lock Screen that is further behind is not measured.
    static let ballsMax = 400

    private struct Score: Hashable {
        var match: MatchID
        var score: String
        var overs: String
    }

    private var times: [Score: Int64] = [:]
    private var order: [Score] = []
    private var totals: [MatchID: Substring] = [:]

    /// Records the newest frame of a match.
    mutating func show(_ label: String, of match: MatchID, atMs: Int64) {
        guard let (overs, total) = Self.read(label) else { return }
        let ball = overs.ball
        // A wide has the label of the ball that replaces it, and leaves the overs as they were; it always adds a run.
        if totals[match] != total {
            set(Score(match: match, score: String(total), overs: "\(overs.over).\(ball - 1)"), atMs)
        }
        let after = ball == 6 ? "\(overs.over + 1).0" : "\(overs.over).\(ball)"
        set(Score(match: match, score: String(total), overs: after), atMs)
        totals[match] = total
    }

    /// When the provider showed the score of this state; nil when that is not known.
    func time(of state: ContentState, _ match: MatchID) -> Int64? {
        // The tape writes ten wickets for a side that is all out.
        let isAllOut = state.expanded.innings.last?.allOut ?? false
        let score = state.compactLeading.score + (isAllOut ? "/10" : "")
        return times[Score(match: match, score: score, overs: state.compactTrailing.overs)]
    }

    private mutating func set(_ score: Score, _ atMs: Int64) {
        if times.updateValue(atMs, forKey: score) == nil { order.append(score) }
        if order.count > Self.ballsMax { times[order.removeFirst()] = nil }
    }

    /// The overs and the total of "S1 12.3 87/6", also with the words of flaws before it; nil for a label without a
    /// ball.
    private static func read(_ label: String) -> (overs: (over: Int, ball: Int), total: Substring)? {
        let words = label.split(separator: " ")
        guard let total = words.last, total.contains("/"), words.count >= 3 else { return nil }
        let parts = words[words.count - 2].split(separator: ".")
        guard parts.count == 2, let over = Int(parts[0]), let ball = Int(parts[1]), (1...12).contains(ball) else {
            return nil
        }
        return ((over, ball), total)
    }
}
