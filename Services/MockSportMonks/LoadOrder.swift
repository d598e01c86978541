import Tapes

/// A tape to be played, and how it is played.
struct LoadOrder: Sendable {
    /// A match's id, or a recorded tape's name.
    var tapeID: String
    var speed = 1.0
    /// Seconds to the start of play.
    var lead = 0.0
    var isPaused = false
    var variant = TapeVariant.clean
    var seed: UInt64 = 0
    /// Only every n-th ball has a frame; 1 for all.
    var ballsPerFrame = 1
    /// The match of a recorded tape with several; nil for the one in most answers.
    var fixture: Int64?
    /// Faults that are scheduled from the load on.
    var faults: [ProviderFault] = []
}
