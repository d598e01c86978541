import SightscreenModels
import Tapes

/// Where a loaded match stands, as the control port tells it.
struct MatchPosition: Codable, Sendable {
    var matchId: MatchID
    var tapeId: String
    var title: String
    /// How the provider misbehaves, and what its randomness began with.
    var variant: String
    var seed: UInt64
    /// Frames shown so far, and all of them.
    var cursor: Int
    var frames: Int
    /// Of the newest frame shown: "S1 12.3 87/6", "Innings Break"; "" before the first.
    var label: String
    var playing: Bool
    var speed: Double
    /// Whether the last frame is shown.
    var isLast: Bool
    /// When the newest frame came: milliseconds since 1970; 0 before the first.
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
