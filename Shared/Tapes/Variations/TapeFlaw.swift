/// The flaw of a frame of a dirty tape; its word begins the frame's label.
public enum TapeFlaw: String, Sendable {
    /// The answer is the same as the one before.
    case repeated
    /// A ball has the wrong score, bowler or batter.
    case wrong
    /// The frame has a ball that was never bowled.
    case phantom
    /// The phantom ball is gone again, and nothing else has happened.
    case removed
    /// The parts are from different seconds.
    case torn
    /// The answer is older than the frame before it.
    case stale
    /// The status is `Finished`, without the result or with a wrong one.
    case early
    /// The status is wrong.
    case flap
}
