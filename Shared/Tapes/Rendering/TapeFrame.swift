/// One moment of a tape: the answer that a poll sees from then on.
public struct TapeFrame: Sendable {
    /// The state of the result.
    enum Result: Sendable {
        case unknown
        /// The provider names a winner who is not the winner.
        case wrong
        /// The winner and the player of the match are known.
        case known
    }

    /// The content of a frame, without its flaws.
    enum Moment: Sendable {
        case phase(String)
        /// A ball is the newest: the innings from 0, the ball's label, and the total with it.
        case ball(innings: Int, label: String, runs: Int, wickets: Int)

        var text: String {
            switch self {
            case .phase(let name): name
            case .ball(let innings, let label, let runs, let wickets): "S\(innings + 1) \(label) \(runs)/\(wickets)"
            }
        }

        var isBall: Bool { if case .ball = self { true } else { false } }
    }

    /// Seconds of the tape's clock after the start of play; negative before it.
    public internal(set) var offset: Int
    /// The provider's `status`.
    public internal(set) var status: String
    /// Whether `/livescores` has the match; a match that is over leaves it.
    public internal(set) var isListed: Bool
    /// The flaws of the frame, the newest first; empty on a clean tape.
    public internal(set) var flaws: [TapeFlaw] = []

    var moment: Moment
    /// The provider's stored state from which it read the balls, the batting and bowling rows, and the totals (`runs`,
    /// `scoreboards`). The three are the same except in a torn frame.
    var balls: TapeView
    var figures: TapeView
    var totals: TapeView
    /// When all batting and bowling rows were last rewritten unchanged, in seconds of the tape.
    var touchedAt = Int.min
    var note: String?
    var hasToss: Bool
    var result: Result
    var superOver: Bool
    var followOn: Bool
    /// Whether the target was revised and the revision is known.
    var isRevised: Bool

    /// The label: after a delivery "S1 19.4 162/3" (scoreboard, ball, total), otherwise the phase: "NS", "Toss", "1st
    /// Innings", "Innings Break", "Int.", "Finished", "Gone". The flaws of a frame come first: "wrong S1 19.4 162/3".
    public var label: String {
        flaws.isEmpty ? moment.text : (flaws.map(\.rawValue) + [moment.text]).joined(separator: " ")
    }

    /// Whether the frame is without flaws and a ball is its newest change.
    var isRightBall: Bool { flaws.isEmpty && moment.isBall }

    /// Whether the parts come from different seconds.
    var isTorn: Bool { balls != figures || balls != totals }

    /// The state of all three parts.
    var view: TapeView {
        get { balls }
        set {
            balls = newValue
            figures = newValue
            totals = newValue
        }
    }
}
