public import SightscreenModels
public import SportMonks

/// Poller → bus, a request: the newest frame of one match. It is offered again until the bus has committed it.
public struct ScoreFrame: Message {
    public static let type = "score-frame"
    public var matchID: MatchID
    /// When this answer was fetched, milliseconds since 1970 by the database's clock.
    public var fetchedAt: Int64
    /// When the provider last gave the state that the bus has already taken, which is not offered each time; nil when
    /// that is not known. What is new in this frame happened since.
    public var previousFetchedAt: Int64?
    /// For how long the provider has answered this poller, in milliseconds: time in which it failed, refused or was not
    /// asked does not count. A match that is repeated all the while is silent.
    public var answeredMs: Int64
    /// Whether the match was on the live list; otherwise it was read by itself.
    public var isListed: Bool
    public var fixture: SlimFixture

    package init(
        matchID: MatchID, fetchedAt: Int64, previousFetchedAt: Int64?, answeredMs: Int64 = 0, isListed: Bool = true,
        fixture: SlimFixture
    ) {
        self.matchID = matchID
        self.fetchedAt = fetchedAt
        self.previousFetchedAt = previousFetchedAt
        self.answeredMs = answeredMs
        self.isListed = isListed
        self.fixture = fixture
    }
}

/// Bus → poller: the answer to a `ScoreFrame`.
public struct FrameReply: Message {
    public static let type = "frame-verdict"
    public enum Outcome: String, Codable, CaseIterable, Sendable {
        /// A new version is in the database.
        case committed
        /// The frame says nothing new.
        case unchanged
        /// The frame made no version now: a newer one came, this bus has too many matches, or the database failed. It
        /// may be offered again.
        case deferred
        /// Another bus holds this match: offer the frame there.
        case notHolder
        /// The frame can never be used; `reason` says why.
        case rejected
    }
    public var outcome: Outcome
    public var version: MatchVersion?
    public var stamp: Stamp?
    public var reason: String?

    package init(outcome: Outcome, version: MatchVersion? = nil, stamp: Stamp? = nil, reason: String? = nil) {
        self.outcome = outcome
        self.version = version
        self.stamp = stamp
        self.reason = reason
    }
}

/// Poller → bus, a request: another bus is to take over this match. It is answered when the match's lease is free.
public struct HandOverMatch: Message {
    public static let type = "hand-over-match"
    public var matchID: MatchID

    package init(matchID: MatchID) { self.matchID = matchID }
}

/// Bus → poller: the answer to a `HandOverMatch`, whether the bus had the match or not.
public struct MatchHandedOver: Message {
    public static let type = "match-handed-over"
    public var matchID: MatchID

    package init(matchID: MatchID) { self.matchID = matchID }
}

/// Poller → bus, a request that only asks for an answer. A bus from before this message refuses it as one of an unknown
/// type, which is an answer, too.
public struct LivenessCheck: Message {
    public static let type = "liveness-check"

    public init() {}
}

/// Bus → poller: the answer to a `LivenessCheck`.
public struct Alive: Message {
    public static let type = "alive"

    public init() {}
}

/// Bus → every coordinator on the host, a notice: a version was committed. It carries the row, so that it need not be
/// read; a receiver that misses versions reads `match_updates`.
public struct MatchUpdated: Message {
    public static let type = "match-updated"
    public var update: MatchUpdate

    package init(update: MatchUpdate) { self.update = update }
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
    /// The phase of the match. Nil, like the next two, when an older event-bus wrote the row.
    public var phase: String?
    /// The match is in a break: the next version may only be the next keep-alive.
    public var isBreak: Bool?
    /// Keys of the events that this version retracts.
    public var retracted: [String]?
    /// Keys of announced events that the match has moved past by this version: no push tells them any more.
    public var overtaken: [String]?
    /// When the version was committed, by the database's clock in milliseconds since 1970; nil when the sender does not
    /// say.
    public var committedAtMs: Int64?
    /// The W3C trace context of the work that made the version.
    public var traceparent: String?

    package init(
        matchID: MatchID, version: MatchVersion, stamp: Stamp, contentState: ContentState, priority: Int,
        alert: MatchAlert?, relevance: Double, phase: String? = nil, isBreak: Bool? = nil, retracted: [String]? = nil,
        overtaken: [String]? = nil, committedAtMs: Int64? = nil, traceparent: String? = nil
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
        self.overtaken = overtaken
        self.committedAtMs = committedAtMs
        self.traceparent = traceparent
    }
}

extension MatchUpdate {
    /// Whether the match is in a break, during which the next version may only be the next keep-alive. For a row of an
    /// older event-bus only the breaks that the display state names are known.
    public var isInBreak: Bool { isBreak ?? (displayState == .inningsBreak || displayState == .suspended) }
}

/// Gateway or orchestrator → every coordinator on the host, a notice: activities of a match changed (a start or an end
/// is due, a token arrived). It is a wake-up: the receiver reads `live_activities`.
public struct ActivitiesChanged: Message {
    public static let type = "activities-changed"
    public var matchID: MatchID

    package init(matchID: MatchID) { self.matchID = matchID }
}

/// Gateway → every coordinator on the host, a notice: the operator's holds have changed. It is a wake-up: the receiver
/// reads `holds`, which it also does twice a second without one.
public struct HoldsChanged: Message {
    public static let type = "holds-changed"

    public init() {}
}
