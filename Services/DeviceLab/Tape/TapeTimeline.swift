import Cricket
import SightscreenModels

/// The content of a slider over a tape: each frame's label, and the places where innings and overs begin and wickets
/// fall.
struct TapeTimeline: Codable, Hashable, Sendable {
    struct Mark: Codable, Hashable, Sendable {
        enum Kind: String, Codable, Sendable { case innings, over, wicket }

        /// Frames shown once it has happened, from 1.
        var cursor: Int
        var kind: Kind
    }

    var matchId: MatchID
    /// The labels by frame: "S1 12.3 87/6", "Innings Break".
    var labels: [String]
    /// The marks in the order of the tape.
    var marks: [Mark]

    private struct Ball {
        var scoreboard: Substring
        var over: Int
        var wickets: Int

        /// Nil for a frame without a ball, or with a flaw.
        init?(_ label: String) {
            let words = label.split(separator: " ")
            guard words.count == 3, words[0].first == "S", let over = Int(words[1].prefix { $0 != "." }),
                let wickets = words[2].split(separator: "/").last.flatMap({ Int($0) })
            else { return nil }
            (self.scoreboard, self.over, self.wickets) = (words[0], over, wickets)
        }
    }

    init(_ match: MatchID, labels: [String]) {
        matchId = match
        self.labels = labels
        marks = []
        var last: Ball?
        for (index, label) in labels.enumerated() {
            guard let ball = Ball(label) else { continue }
            let cursor = index + 1
            if ball.scoreboard != last?.scoreboard {
                marks.append(Mark(cursor: cursor, kind: .innings))
                if ball.wickets > 0 { marks.append(Mark(cursor: cursor, kind: .wicket)) }
            } else if let last {
                if ball.over > last.over { marks.append(Mark(cursor: cursor, kind: .over)) }
                if ball.wickets > last.wickets { marks.append(Mark(cursor: cursor, kind: .wicket)) }
            }
            last = ball
        }
    }
}
