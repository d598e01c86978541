import SightscreenModels
import Tapes

/// The position of a loaded match, as the control port reports it.
struct MatchPosition: Codable, Sendable {
    var matchId: MatchID
    var tapeId: String
    var title: String
    /// The way in which the provider misbehaves, and the seed of its random numbers.
    var variant: String
    var seed: UInt64
    /// Frames shown so far; `frames` is the number of all.
    var cursor: Int
    var frames: Int
    /// The label of the newest frame shown: "S1 12.3 87/6", "Innings Break"; "" before the first.
    var label: String
    var playing: Bool
    var speed: Double
    /// Whether the last frame is shown.
    var isLast: Bool
    /// When the newest frame came, in milliseconds since 1970; 0 before the first.
    var shownAt: Int64

    init(_ player: MatchPlayer) {
        matchId = MatchID(player.tape.id)
        tapeId = player.tapeID
        title = player.tape.title
        variant = player.tape.variant.rawValue
        seed = player.tape.seed
        cursor = player.cursor
        frames = player.tape.frames.count
        label = player.cursor == 0 ? "" : player.tape.frame(player.frameIndex).label
        playing = player.isPlaying
        speed = player.speed
        isLast = player.isOver
        shownAt = Int64(player.shownAt * 1_000)
    }
}
