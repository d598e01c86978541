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

/// A tape that is loaded: a match like any other, but for that it can be controlled.
public struct ReplayedMatch: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public var tapeId: String
    public var title: String
    /// How the provider misbehaves.
    public var variant: String
    public var seed: String
    /// Frames shown, and all of them.
    public var cursor: Int
    public var frames: Int
    /// The newest ball shown: "S1 12.3 87/6".
    public var label: String
    public var playing: Bool
    public var speed: Double
    /// The last frame is shown.
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

/// Which tape to play, and how.
public struct ReplayOrder: Codable, Hashable, Sendable {
    public var tapeId: String
    /// Seconds of the match per second; 1 if nil.
    public var speed: Double?
    /// Loaded, not playing yet.
    public var paused: Bool?
    /// Seconds to the start of play.
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

/// What can be done to a replay.
public enum ReplayAction: Hashable, Sendable {
    case play, pause, stop
    /// The next frame.
    case step
    /// To a ball as labels begin: "S1 12.3".
    case seekToBall(String)
    /// To so many frames shown.
    case seekToFrame(Int)
    case speed(Double)
}
