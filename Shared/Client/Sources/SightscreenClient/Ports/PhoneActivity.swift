public import SightscreenModels

/// One Live Activity as the phone has it at a moment.
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

    /// The push-to-start that made it; nil when the app did.
    public var startID: StartID? { attributes.startId.rawValue.isEmpty ? nil : attributes.startId }

    /// It can still change.
    public var isRunning: Bool { state.isRunning }
}

/// What an activity shows, and until when that counts as news.
public struct ShownContent: Hashable, Sendable {
    public var state: ContentState
    /// Seconds since 1970: from then on the activity says that it is out of date.
    public var staleAt: Int?
    /// Relative to other activities: the highest owns the Dynamic Island.
    public var relevance: Double?

    public init(state: ContentState, staleAt: Int? = nil, relevance: Double? = nil) {
        self.state = state
        self.staleAt = staleAt
        self.relevance = relevance
    }
}

/// `ActivityState`.
public enum PhoneActivityState: String, Hashable, Sendable, CaseIterable {
    case active
    /// Its stale-date has passed: it is shown as out of date.
    case stale
    /// It shows its last content and never changes again.
    case ended
    /// Gone from the screen.
    case dismissed

    public var isRunning: Bool { self == .active || self == .stale }
}

/// When an activity that ends leaves the screen.
public enum EndDismissal: Hashable, Sendable {
    case immediate
    /// Up to 4 h later, as the system likes.
    case byDefault
    /// Seconds since 1970, at most 4 h ahead.
    case at(Int)
}

/// Why the system does not start an activity (`ActivityAuthorizationError`).
public enum ActivityRequestError: Error, Hashable, Sendable {
    /// The user has switched Live Activities off for the app.
    case denied
    /// This device has none.
    case unsupported
    /// The app, or the phone, shows as many as it may.
    case tooMany
    /// Attributes and content are over 4 KB.
    case tooLarge
    /// Asked for while the app is not in the foreground.
    case notInForeground
    /// What ActivityKit said, for the log.
    case other(String)
}
