public import Cricket
public import Detection
public import SightscreenModels

/// The effect of one frame of a replay.
public struct ReplayStep: Sendable {
    /// The position of the frame among those played, from 1.
    public let frame: Int
    /// The tape's label of the frame: "S1 12.3 87/6", "Innings Break".
    public let label: String
    /// The frame; nil when it could not be read, and for the time that passes after the last one.
    public let snapshot: MatchSnapshot?
    /// The versions that the frame led to: none when it changes nothing, two when time had brought one before it.
    public let changes: [MatchChange]
    /// The number of first `changes` that time brought before the frame.
    public let changesByTime: Int
    /// The events that the frame retracted, as they were printed before, and the new ones, in order.
    public let lines: [Line]
    /// The state shown after the frame; nil before the first good one.
    public let state: ContentState?
    /// The reason why the frame could not be read.
    public let problem: String?

    /// The innings that is on or was last on, with its newest ball; nil before the first.
    public let innings: Int?
    public let ball: String?

    /// A line of `--events`.
    public struct Line: Sendable, Hashable {
        public let event: EventLine
        public let isRetracted: Bool
        public var json: String { event.json(retracted: isRetracted) }
    }
}
