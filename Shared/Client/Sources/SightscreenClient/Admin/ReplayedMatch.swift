public import SightscreenModels

/// A recorded match that the gateway's stand-in provider can play.
public struct ReplayTape: Codable, Hashable, Sendable {
    public var tapeId: String
    public var title: String

    public init(tapeId: String, title: String) {
        self.tapeId = tapeId
        self.title = title
    }
}

/// A loaded tape: a match like any other, except that it can be controlled.
public struct ReplayedMatch: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public var tapeId: String
    public var title: String
    /// The way in which the provider misbehaves.
    public var variant: String
    public var seed: String
    /// The number of frames shown. `frames` is the number of all frames.
    public var cursor: Int
    public var frames: Int
    /// The newest ball shown: "S1 12.3 87/6".
    public var label: String
    public var playing: Bool
    public var speed: Double
    /// Whether the last frame is shown.
    public var isLast: Bool

    public init(
        matchId: MatchID, tapeId: String, title: String, variant: String = "clean", seed: String = "0",
        cursor: Int = 0, frames: Int, label: String = "", playing: Bool = true, speed: Double = 1, isLast: Bool = false
    ) {
        self.matchId = matchId
        self.tapeId = tapeId
        self.title = title
        self.variant = variant
        self.seed = seed
        self.cursor = cursor
        self.frames = frames
        self.label = label
        self.playing = playing
        self.speed = speed
        self.isLast = isLast
    }
}

/// The tape to play, and the way to play it.
public struct ReplayOrder: Codable, Hashable, Sendable {
    public var tapeId: String
    /// The seconds of the match that pass in one second; 1 when nil.
    public var speed: Double?
    /// Whether the tape is loaded without playing yet.
    public var paused: Bool?
    /// The seconds until the start of play.
    public var lead: Int?
    public var variant: String?
    public var seed: Int?

    public init(
        tapeId: String, speed: Double? = nil, paused: Bool? = nil, lead: Int? = nil, variant: String? = nil,
        seed: Int? = nil
    ) {
        self.tapeId = tapeId
        self.speed = speed
        self.paused = paused
        self.lead = lead
        self.variant = variant
        self.seed = seed
    }
}

/// The actions on a replay.
public enum ReplayAction: Hashable, Sendable {
    case play, pause, stop
    /// Shows the next frame.
    case step
    /// Moves to a ball, written as the beginning of its label: "S1 12.3".
    case seekToBall(String)
    /// Moves to the position at which this many frames are shown.
    case seekToFrame(Int)
    case speed(Double)
}
