/// One moment of a tape: what a poll would have seen from then on.
public struct TapeFrame: Sendable {
    /// What is known about the result.
    enum Result: Sendable {
        case unknown
        /// The winner is named, but it is not the winner.
        case wrong
        /// Winner and player of the match.
        case known
    }

    /// What a frame shows, without its flaws.
    enum Moment: Sendable {
        case phase(String)
        /// A ball is the newest: innings from 0, the ball's label, and the total with it.
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
    /// What is wrong with it, the last thing to go wrong first; empty on a clean tape.
    public internal(set) var flaws: [TapeFlaw] = []

    var moment: Moment
    /// What the provider had stored when it read its balls, its batting and bowling rows, and its totals (`runs`,
    /// `scoreboards`); the same but in a torn frame.
    var balls: TapeView
    var figures: TapeView
    var totals: TapeView
    /// When all batting and bowling rows were last written again without a change, in seconds of the tape.
    var touchedAt = Int.min
    var note: String?
    var hasToss: Bool
    var result: Result
    var superOver: Bool
    var followOn: Bool
    /// The target was revised and the revision is known.
    var isRevised: Bool

    /// After a delivery "S1 19.4 162/3" (scoreboard, ball, total), else the phase: "NS", "Toss", "1st Innings",
    /// "Innings Break", "Int.", "Finished", "Gone". A frame with flaws has their words in front: "wrong S1 19.4 162/3".
    public var label: String {
        flaws.isEmpty ? moment.text : (flaws.map(\.rawValue) + [moment.text]).joined(separator: " ")
    }

    /// Everything as it really was, with a ball that is the newest.
    var isRightBall: Bool { flaws.isEmpty && moment.isBall }

    /// Its parts are from different seconds.
    var isTorn: Bool { balls != figures || balls != totals }

    /// All three parts.
    var view: TapeView {
        get { balls }
        set {
            balls = newValue
            figures = newValue
            totals = newValue
        }
    }
}
