public import SightscreenModels

/// The state of one Live Activity on the phone at one moment.
public struct PhoneActivity: Hashable, Sendable {
    public var id: ActivityID
    public var attributes: LiveActivityAttributes
    public var content: ShownContent
    public var state: PhoneActivityState

    public init(id: ActivityID, attributes: LiveActivityAttributes, content: ShownContent, state: PhoneActivityState) {
        self.id = id
        self.attributes = attributes
        self.content = content
        self.state = state
    }

    public var matchID: MatchID { attributes.matchId }

    /// The push-to-start that started it; nil when the app did.
    public var startID: StartID? { attributes.startId.rawValue.isEmpty ? nil : attributes.startId }

    /// Whether it can still change.
    public var isRunning: Bool { state.isRunning }

    /// The broadcast channel that it listens to; nil when it has an update token.
    public var channel: ChannelID? { attributes.channelId }
}

/// The push type of a request (`PushType`): the way by which the activity is updated.
public enum ActivityPushType: Hashable, Sendable {
    /// The activity gets an update token.
    case token
    /// The activity gets no token and listens to a broadcast channel (iOS 18 and later).
    case channel(ChannelID)

    /// Returns the push type that the attributes say.
    init(_ attributes: LiveActivityAttributes) { self = attributes.channelId.map { .channel($0) } ?? .token }
}

/// The moment at which a scheduled activity appears by itself (iOS 26 and later).
public struct ActivitySchedule: Hashable, Sendable {
    /// Seconds since 1970.
    public var start: Int
    /// The alert at that moment, which iOS requires.
    public var alert: PushAlert

    public init(start: Int, alert: PushAlert) {
        self.start = start
        self.alert = alert
    }
}

/// The content of an activity, and the time until which it is current.
public struct ShownContent: Hashable, Sendable {
    public var state: ContentState
    /// The time from which the activity is shown as out of date, in seconds since 1970.
    public var staleAt: Int?
    /// The relevance compared with other activities. The highest one owns the Dynamic Island.
    public var relevance: Double?

    public init(state: ContentState, staleAt: Int? = nil, relevance: Double? = nil) {
        self.state = state
        self.staleAt = staleAt
        self.relevance = relevance
    }
}

/// The values of `ActivityState`.
public enum PhoneActivityState: String, Hashable, Sendable, CaseIterable {
    /// The activity is scheduled and not visible yet (iOS 26).
    case pending
    case active
    /// The stale date has passed, and the activity is shown as out of date.
    case stale
    /// The activity shows its last content and never changes again.
    case ended
    /// The activity is gone from the screen.
    case dismissed

    public var isRunning: Bool { self == .active || self == .stale }
}

/// The time at which an ended activity leaves the screen.
public enum EndDismissal: Hashable, Sendable {
    case immediate
    /// Up to 4 h later, as the system decides.
    case byDefault
    /// A time in seconds since 1970, at most 4 h ahead.
    case at(Int)
}

/// The reason why the system does not start an activity (`ActivityAuthorizationError`).
public enum ActivityRequestError: Error, Hashable, Sendable {
    /// The user has switched Live Activities off for the app.
    case denied
    /// This device has no Live Activities.
    case unsupported
    /// The app or the phone shows the most activities that it may.
    case tooMany
    /// The attributes and the content together are over 4 KB.
    case tooLarge
    /// The app is not in the foreground.
    case notInForeground
    /// Another error. The value is ActivityKit's description, for the log.
    case other(String)
}
