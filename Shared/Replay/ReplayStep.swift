public import Cricket
public import Detection
public import SightscreenModels

/// What one frame of a replay brought.
public struct ReplayStep: Sendable {
    /// Position of the frame among those that were shown, from 1.
    public let frame: Int
    /// What the tape calls it: "S1 12.3 87/6", "Innings Break".
    public let label: String
    /// Nil when the frame could not be read, or is the passing of time after the last one.
    public let snapshot: MatchSnapshot?
    /// The versions it led to: none when it changes nothing, two when time had brought one before it.
    public let changes: [MatchChange]
    /// So many of them, the first ones, were brought by time before the frame.
    public let changesByTime: Int
    /// What it took back, as it was told before, and what it tells anew, in order.
    public let lines: [Line]
    /// What is shown after it; nil before the first good frame.
    public let state: ContentState?
    /// Why it could not be read.
    public let problem: String?

    /// The innings that is on or was last on, and its newest ball; nil before.
    public let innings: Int?
    public let ball: String?

    /// A line of `--events`.
    public struct Line: Sendable, Hashable {
        public let event: EventLine
        public let isRetracted: Bool
        public var json: String { event.json(retracted: isRetracted) }
    }
}
