public import SightscreenModels

/// The change that a frame (or a timer) makes to a match: the next version, before it has a number and a stamp.
public struct MatchChange: Sendable, Equatable {
    /// The state shown from now on. Its `version` is 0 until the commit fills it in.
    public var contentState: ContentState
    /// The events that this version shows first, in order of play.
    public var events: [MatchEvent]
    /// Keys of events that the provider has taken back.
    public var retracted: [String]
    /// APNs priority: 10 with an alert, else 5.
    public var priority: Int
    public var alert: MatchAlert?
    /// The events that `alert` announces, that of its title first; empty without one.
    public var announced: [MatchEvent]
    /// The words of each of `announced`, in the same order.
    public var news: [MatchAlert.News]
    /// Keys of events that were announced a moment ago and that the match has moved past: no push tells them any more.
    public var overtaken: [String]
    /// The relevance from 0 to 100, higher for a closer match.
    public var relevance: Double
    /// Whether the result is announced; `end` follows after the result hold.
    public var isSettled: Bool
    /// Whether nobody reports the match any more: it has ended without a result.
    public var isSilent: Bool
    /// Whether play is over for the day and that was told, or will not be: at stumps a match counts as not live for
    /// activities, which end.
    public var atStumps: Bool
    /// Whether play is interrupted (rain, light); a scheduled break does not count.
    public var isSuspended: Bool
    /// Whether a ball or a run came with this version, and not only a change of words.
    public var hasMoved: Bool
    /// Whether play has begun.
    public var hasBegun: Bool
    /// The phase of the match by the provider's status, as `MatchPhase.name`.
    public var phase: String
    /// Whether nothing is played for a while, scheduled or not: an interval, the break between innings, stumps, rain, a
    /// late start.
    public var isBreak: Bool

    /// Keys of `retracted` that this version does not announce anew on another ball or of other people. Their alerts
    /// must not go out any more.
    public var withdrawn: [String] {
        let told = Set(events.lazy.map(\.key))
        return retracted.filter { !told.contains($0) }
    }

    public var displayState: MatchDisplayState { contentState.matchDisplayState }
}
