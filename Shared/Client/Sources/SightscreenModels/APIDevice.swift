/// `POST /devices`. What is left out stays as it was; a null `deviceToken` forgets the token.
public struct DeviceRegistration: Codable, Hashable, Sendable {
    public var deviceId: DeviceID
    public var platform: String
    public var deviceToken: DeviceToken?
    public var osVersion: String?
    public var appVersion: String?
    public var environment: APNsEnvironment?
    public var liveActivitiesEnabled: Bool?
    public var frequentPushesEnabled: Bool?
    /// All cards of the phone, none if the list is empty; what runs is not started again. Left out: nothing is said of
    /// them.
    public var activities: [RunningActivity]?
    /// When the phone was last restarted, or the app took all cards off since its user left; seconds since 1970. Either takes
    /// all cards away that were there.
    public var bootedAt: Int?

    public init(
        deviceId: DeviceID, platform: String = "ios", deviceToken: DeviceToken? = nil, osVersion: String? = nil,
        appVersion: String? = nil, environment: APNsEnvironment? = nil, liveActivitiesEnabled: Bool? = nil,
        frequentPushesEnabled: Bool? = nil, activities: [RunningActivity]? = nil,
        bootedAt: Int? = nil
    ) {
        self.deviceId = deviceId
        self.platform = platform
        self.deviceToken = deviceToken
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.environment = environment
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.activities = activities
        self.bootedAt = bootedAt
    }
}

/// One Live Activity of a phone, as the app finds it there.
public struct RunningActivity: Codable, Hashable, Sendable {
    /// ActivityKit's word for it.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// Scheduled, to appear by itself.
        case pending
        case active
        /// It shows old news.
        case stale
        /// Over, still to be seen or not: the app or the system ended it, not the user.
        case ended
        /// The app saw the user take it away.
        case dismissed
    }

    public var matchId: MatchID
    public var activityId: ActivityID?
    public var startId: StartID?
    /// `active` when left out.
    public var state: State?
    /// The broadcast channel it listens to instead of a token of its own.
    public var channel: String?
    /// As the state `pending`.
    public var pending: Bool?
    /// When the app last saw it, seconds since 1970; now when left out.
    public var lastSeen: Int?

    public init(
        matchId: MatchID, activityId: ActivityID? = nil, startId: StartID? = nil, state: State? = nil,
        channel: String? = nil, pending: Bool? = nil, lastSeen: Int? = nil
    ) {
        self.matchId = matchId
        self.activityId = activityId
        self.startId = startId
        self.state = state
        self.channel = channel
        self.pending = pending
        self.lastSeen = lastSeen
    }

    /// It can show what the backend sends.
    public var isThere: Bool {
        switch state {
        case .ended, .dismissed: false
        case .pending, .active, .stale, nil: true
        }
    }
}

/// The two worlds of APNs. A token belongs to one of them: the other does not know it.
public enum APNsEnvironment: String, Codable, Hashable, Sendable, CaseIterable {
    /// App Store, TestFlight and enterprise builds.
    case production
    /// Builds run from Xcode.
    case sandbox
}

/// What the registration of another user's token waits for. To know a token is not to have the phone.
/// Until then nothing changes; the app registers it again in a while.
public enum TokenWait: String, Codable, Hashable, Sendable {
    /// The phone gets a nonce with a silent push, and its app is to echo it: `POST /devices/confirm`.
    case confirmation
    /// It goes with the phone's device token: an app that registers that one has it confirmed.
    case deviceToken
    /// That its present owner leaves the phone, or is not seen for 7 days; or that an hour has passed since the last nonce.
    case owner
    /// From a newer server.
    case other

    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// `POST /devices/confirm`: what a silent push asked for.
public struct DeviceConfirmation: Codable, Hashable, Sendable {
    /// The push's `confirm`, or that of the answer to `POST /devices`.
    public var nonce: String
    public var deviceId: DeviceID?

    public init(nonce: String, deviceId: DeviceID? = nil) {
        self.nonce = nonce
        self.deviceId = deviceId
    }
}

/// The answer to both registrations.
public struct DeviceResponse: Codable, Hashable, Sendable {
    public var deviceId: DeviceID
    /// Whether Live Activities can be started on it by push.
    public var liveActivitiesCapable: Bool
    /// Of the listed activities, those that should not be there: the app ends them at once. Only to `POST /devices`.
    public var end: [ActivityID]?
    /// Of the listed activities, those whose tokens APNs calls dead: the app registers them anew. Only to `POST /devices`,
    /// and only where there are any.
    public var tokensWanted: [ActivityID]?
    /// Followed matches in play whose card is gone from the phone and is not started again by itself: the app offers to show
    /// it again, and follows again when the user wants that. Only to `POST /devices`, and only where there are any.
    public var gone: [MatchID]?
    /// The token is another user's: it is not registered yet (202).
    public var waitsFor: TokenWait?
    /// Somebody else has registered this phone's device token. The app echoes the nonce, which refuses that. Only to
    /// `POST /devices`.
    public var confirm: String?

    public init(
        deviceId: DeviceID, liveActivitiesCapable: Bool, end: [ActivityID]? = nil, tokensWanted: [ActivityID]? = nil,
        gone: [MatchID]? = nil, waitsFor: TokenWait? = nil, confirm: String? = nil
    ) {
        self.deviceId = deviceId
        self.liveActivitiesCapable = liveActivitiesCapable
        self.end = end
        self.tokensWanted = tokensWanted
        self.gone = gone
        self.waitsFor = waitsFor
        self.confirm = confirm
    }
}

/// `POST /devices/push-to-start-token`.
public struct PushToStartRegistration: Codable, Hashable, Sendable {
    public var pushToStartToken: PushToStartToken
    public var deviceId: DeviceID?

    public init(pushToStartToken: PushToStartToken, deviceId: DeviceID? = nil) {
        self.pushToStartToken = pushToStartToken
        self.deviceId = deviceId
    }
}
