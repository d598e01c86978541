import Tapes

/// What is to be played, and how.
struct LoadOrder: Sendable {
    /// A match's id, or a recorded tape's name.
    var tapeID: String
    var speed = 1.0
    /// Seconds to the start of play.
    var lead = 0.0
    var isPaused = false
    var variant = TapeVariant.clean
    var seed: UInt64 = 0
    /// Every how manieth ball has a frame.
    var ballsPerFrame = 1
    /// Of a recorded tape with several matches: which; nil for the one in most answers.
    var fixture: Int64?
    /// Faults that wait from then on.
    var faults: [ProviderFault] = []
}
