public import SightscreenModels

/// What a frame (or a timer) changes about a match: the next version, before it has a number and a stamp.
public struct MatchChange: Sendable, Equatable {
    /// What is shown from now on. Its `version` is 0 until the commit fills it in.
    public var contentState: ContentState
    /// Events that this version shows first, in order of play.
    public var events: [MatchEvent]
    /// Keys of events that the provider has taken back.
    public var retracted: [String]
    /// APNs priority: 10 with an alert, else 5.
    public var priority: Int
    public var alert: MatchAlert?
    /// The events that `alert` announces, in no order; empty without one.
    public var announced: [MatchEvent]
    /// 0…100; the closer the match, the higher.
    public var relevance: Double
    /// The result is announced; `end` follows after the result hold.
    public var isSettled: Bool
    /// At stumps a match counts as not live for activities.
    public var atStumps: Bool
    /// Play is interrupted (rain, light); a scheduled break is not.
    public var isSuspended: Bool
    /// Play has begun.
    public var hasBegun: Bool
    /// Where the match is, by the provider's status: `MatchPhase.name`.
    public var phase: String
    /// Nothing is played for a while, scheduled or not: an interval, the break between innings, stumps, rain, a late start.
    public var isBreak: Bool

    /// Those of `retracted` that this version does not tell anew, of another ball or of other people: an alert of theirs is
    /// not to be told any more.
    public var withdrawn: [String] {
        let told = Set(events.lazy.map(\.key))
        return retracted.filter { !told.contains($0) }
    }

    public var displayState: MatchDisplayState { contentState.matchDisplayState }
}
