public import SightscreenModels
public import SportMonks

/// Poller → bus, a request: the newest frame of one match. Offered again until the bus has committed it.
public struct ScoreFrame: Message {
    public static let type = "score-frame"
    public var matchID: MatchID
    /// When this answer was fetched, milliseconds since 1970 by the database's clock.
    public var fetchedAt: Int64
    /// When the provider last gave what the bus has taken before, which is not offered each time; nil when that is not
    /// known. What this frame shows first happened since.
    public var previousFetchedAt: Int64?
    public var fixture: SlimFixture

    public init(matchID: MatchID, fetchedAt: Int64, previousFetchedAt: Int64?, fixture: SlimFixture) {
        self.matchID = matchID
        self.fetchedAt = fetchedAt
        self.previousFetchedAt = previousFetchedAt
        self.fixture = fixture
    }
}

/// Bus → poller: the answer to a `ScoreFrame`.
public struct FrameVerdict: Message {
    public static let type = "frame-verdict"
    public enum Outcome: String, Codable, Sendable {
        /// A new version is in the database.
        case committed
        /// The frame says nothing new.
        case unchanged
        /// Taken in, but folded into the next version (at most about one a second is committed).
        case deferred
        /// Another bus holds this match: offer it there.
        case notHolder
        /// It can never be used; `reason` says why.
        case rejected
    }
    public var outcome: Outcome
    public var version: MatchVersion?
    public var stamp: Stamp?
    public var reason: String?

    public init(outcome: Outcome, version: MatchVersion? = nil, stamp: Stamp? = nil, reason: String? = nil) {
        self.outcome = outcome
        self.version = version
        self.stamp = stamp
        self.reason = reason
    }
}

/// Poller → bus, a request: another bus is to have this match. Answered when its lease is free.
public struct HandOverMatch: Message {
    public static let type = "hand-over-match"
    public var matchID: MatchID

    public init(matchID: MatchID) { self.matchID = matchID }
}

/// Bus → poller: the answer to a `HandOverMatch`, whether the bus had the match or not.
public struct MatchHandedOver: Message {
    public static let type = "match-handed-over"
    public var matchID: MatchID

    public init(matchID: MatchID) { self.matchID = matchID }
}

/// Poller → bus, a request: does it answer? A bus from before this message refuses it as one of an unknown type, and has
/// answered by that.
public struct LivenessCheck: Message {
    public static let type = "liveness-check"

    public init() {}
}

/// Bus → poller: the answer to a `LivenessCheck`.
public struct Alive: Message {
    public static let type = "alive"

    public init() {}
}

/// Bus → every coordinator on the host, a notice: a version was committed. It carries the row so that nobody has to
/// read it; a receiver that misses versions reads `match_updates`.
public struct MatchUpdated: Message {
    public static let type = "match-updated"
    public var update: MatchUpdate

    public init(update: MatchUpdate) { self.update = update }
}

/// One row of `match_updates`.
public struct MatchUpdate: Codable, Sendable, Equatable {
    public var matchID: MatchID
    public var version: MatchVersion
    public var stamp: Stamp
    public var contentState: ContentState
    public var displayState: MatchDisplayState { contentState.matchDisplayState }
    public var priority: Int
    public var alert: MatchAlert?
    public var relevance: Double
    /// Where the match stood. Nil, as the next two: written by an event-bus that did not say.
    public var phase: String?
    /// Nothing may come for as long as a keep-alive takes.
    public var isBreak: Bool?
    /// Keys of events that it takes back.
    public var retracted: [String]?
    /// By the database's clock, milliseconds since 1970. Nil: whoever sends it does not say.
    public var committedAtMs: Int64?
    /// W3C trace context of the work that made it.
    public var traceparent: String?

    public init(
        matchID: MatchID, version: MatchVersion, stamp: Stamp, contentState: ContentState, priority: Int,
        alert: MatchAlert?, relevance: Double, phase: String? = nil, isBreak: Bool? = nil, retracted: [String]? = nil,
        committedAtMs: Int64? = nil, traceparent: String? = nil
    ) {
        self.matchID = matchID
        self.version = version
        self.stamp = stamp
        self.contentState = contentState
        self.priority = priority
        self.alert = alert
        self.relevance = relevance
        self.phase = phase
        self.isBreak = isBreak
        self.retracted = retracted
        self.committedAtMs = committedAtMs
        self.traceparent = traceparent
    }
}

extension MatchUpdate {
    /// Whether nothing may come for as long as a keep-alive takes. Of an event-bus that does not say so only the breaks are
    /// known that the display state names.
    public var isInBreak: Bool { isBreak ?? (displayState == .inningsBreak || displayState == .suspended) }
}

/// Gateway or orchestrator → every coordinator on the host, a notice: activities of a match changed (a start or an end
/// is due, a token arrived). A doorbell: the receiver reads `live_activities`.
public struct ActivitiesChanged: Message {
    public static let type = "activities-changed"
    public var matchID: MatchID

    public init(matchID: MatchID) { self.matchID = matchID }
}

/// Gateway → every coordinator on the host, a notice: what the operator holds has changed. A doorbell: the receiver reads
/// `holds`, and looks by itself twice a second.
public struct HoldsChanged: Message {
    public static let type = "holds-changed"

    public init() {}
}
