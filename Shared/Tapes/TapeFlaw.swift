/// What is wrong with a frame of a dirty tape, in the word that its label begins with.
public enum TapeFlaw: String, Sendable {
    /// The same answer as before.
    case repeated
    /// A ball is there with the wrong score, bowler or batter.
    case wrong
    /// A ball is there that never was.
    case phantom
    /// That ball is gone again, and nothing else has happened.
    case removed
    /// Parts from different seconds.
    case torn
    /// Older than the frame before it.
    case stale
    /// `Finished` without its result, or with a wrong one.
    case early
    /// The wrong status.
    case flap
}
