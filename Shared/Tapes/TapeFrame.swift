/// One moment of a tape: what a poll would have seen from then on.
public struct TapeFrame: Sendable {
    /// Seconds of the tape's clock after the start of play; negative before it.
    public let offset: Int
    /// After a delivery "S1 19.4 162/3" (scoreboard, ball, total), else the phase: "NS", "Toss", "1st Innings",
    /// "Innings Break", "Int.", "Finished", "Gone".
    public let label: String
    /// The provider's `status`.
    public let status: String
    /// Whether `/livescores` has the match; a match that is over leaves it.
    public let isListed: Bool

    /// Steps of the tape's script that it shows.
    let steps: Int
    let note: String?
    let hasToss: Bool
    /// Winner and player of the match are known.
    let hasResult: Bool
    let superOver: Bool
    let followOn: Bool
    /// The target was revised and the revision is known.
    let isRevised: Bool
}
