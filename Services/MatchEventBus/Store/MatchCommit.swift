package import SightscreenModels
package import Store

/// One version of a match, ready to be written. The JSON texts are stored as they are.
package struct MatchCommit: Sendable {
    package var matchID: MatchID
    /// The lease under which the version is written.
    package var lease: Lease
    /// The version before; 0 for the first one. `contentState` has the next version's number.
    package var previousVersion: MatchVersion
    package var displayState: MatchDisplayState
    /// `ContentState`, `[MatchEvent]`, twice `[String]`, and `MatchAlert` as JSON.
    package var contentState: String
    package var events: String
    package var retracted: String
    package var overtaken: String
    package var alert: String?
    /// The APNs priority: 5 or 10.
    package var priority: Int
    package var relevance: Double
    /// The match machine's JSON.
    package var machine: String
    package var atStumps: Bool
    package var isSuspended: Bool
    /// Whether play has begun, and the match is shown as live, suspended or between innings.
    package var isLive: Bool
    package var isSettled: Bool
    /// Whether a ball or a run came with the version.
    package var hasMoved: Bool
    /// Whether the match ends without a result, because nobody reports it any more.
    package var isSilent: Bool
    /// The phase of `MatchChange`; `isBreak` is from there, too.
    package var phase: String
    package var isBreak: Bool
    /// Whether time alone brought the version: a keep-alive, or a held result. Such a version does not reopen a match
    /// that has ended.
    package var isByTime: Bool
    /// The W3C trace context of the work that made the version; the coordinators continue this trace.
    package var traceparent: String?

    package init(
        matchID: MatchID, lease: Lease, previousVersion: MatchVersion,
        displayState: MatchDisplayState, contentState: String, events: String, retracted: String,
        overtaken: String = "[]", alert: String?, priority: Int, relevance: Double, machine: String, atStumps: Bool,
        isSuspended: Bool, isLive: Bool, isSettled: Bool, phase: String, isBreak: Bool, hasMoved: Bool = false,
        isSilent: Bool = false, isByTime: Bool = false, traceparent: String? = nil
    ) {
        self.matchID = matchID
        self.lease = lease
        self.previousVersion = previousVersion
        self.displayState = displayState
        self.contentState = contentState
        self.events = events
        self.retracted = retracted
        self.overtaken = overtaken
        self.alert = alert
        self.priority = priority
        self.relevance = relevance
        self.machine = machine
        self.atStumps = atStumps
        self.isSuspended = isSuspended
        self.isLive = isLive
        self.isSettled = isSettled
        self.hasMoved = hasMoved
        self.isSilent = isSilent
        self.phase = phase
        self.isBreak = isBreak
        self.isByTime = isByTime
        self.traceparent = traceparent
    }
}
