/// The body of `POST /devices`. A value that is left out stays as it was; a null `deviceToken` removes the token.
public struct DeviceRegistration: Codable, Hashable, Sendable {
    public var deviceId: DeviceID
    public var platform: String
    public var deviceToken: DeviceToken?
    public var osVersion: String?
    public var appVersion: String?
    public var environment: APNsEnvironment?
    public var liveActivitiesEnabled: Bool?
    public var frequentPushesEnabled: Bool?
    /// Whether the phone can subscribe to broadcast channels: iOS 18 or later, and a build that knows how.
    public var broadcast: Bool?
    /// Every Live Activity on the phone; an empty list says that there is none. The backend does not start a listed
    /// activity again. When the list is left out, the backend assumes nothing about activities.
    public var activities: [RunningActivity]?
    /// The time at which the phone was last restarted, or at which the app removed every activity because its user
    /// left, in seconds since 1970. Either ends every activity that was there before.
    public var bootedAt: Int?

    public init(
        deviceId: DeviceID, platform: String = "ios", deviceToken: DeviceToken? = nil, osVersion: String? = nil,
        appVersion: String? = nil, environment: APNsEnvironment? = nil, liveActivitiesEnabled: Bool? = nil,
        frequentPushesEnabled: Bool? = nil, broadcast: Bool? = nil, activities: [RunningActivity]? = nil,
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
        self.broadcast = broadcast
        self.activities = activities
        self.bootedAt = bootedAt
    }
}

/// One Live Activity of a phone, as the app finds it there.
public struct RunningActivity: Codable, Hashable, Sendable {
    /// The state as ActivityKit names it.
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// The activity is scheduled and appears by itself.
        case pending
        case active
        /// The content is older than its stale date.
        case stale
        /// The app or the system ended the activity, not the user. It may still be visible.
        case ended
        /// The app observed that the user removed the activity.
        case dismissed
    }

    public var matchId: MatchID
    public var activityId: ActivityID?
    public var startId: StartID?
    /// The state; `active` when left out.
    public var state: State?
    /// The broadcast channel that the activity listens to, when it has no token of its own.
    public var channel: ChannelID?
    /// Whether the activity is scheduled and not started: the state `pending`.
    public var pending: Bool?
    /// The time at which the app last saw the activity, in seconds since 1970; the present when left out.
    public var lastSeen: Int?

    public init(
        matchId: MatchID, activityId: ActivityID? = nil, startId: StartID? = nil, state: State? = nil,
        channel: ChannelID? = nil, pending: Bool? = nil, lastSeen: Int? = nil
    ) {
        self.matchId = matchId
        self.activityId = activityId
        self.startId = startId
        self.state = state
        self.channel = channel
        self.pending = pending
        self.lastSeen = lastSeen
    }

    /// Whether the activity can show what the backend sends.
    public var isThere: Bool {
        switch state {
        case .ended, .dismissed: false
        case .pending, .active, .stale, nil: true
        }
    }
}

/// The two environments of APNs. A token is valid in one of them; the other does not know it.
public enum APNsEnvironment: String, Codable, Hashable, Sendable, CaseIterable {
    /// App Store, TestFlight and enterprise builds.
    case production
    /// Builds run from Xcode.
    case sandbox
}

/// The event that the registration of another user's token waits for, because knowing a token is no proof of having the
/// phone. Until that event nothing changes, and the app registers the token again after a while.
public enum TokenWait: String, Codable, Hashable, Sendable {
    /// The app's confirmation: the phone receives a nonce with a silent push, and its app returns it with `POST
    /// /devices/confirm`.
    case confirmation
    /// The registration of the phone's device token: an app that registers that token has this one confirmed, too.
    case deviceToken
    /// One of three events: the present owner leaves the phone, or is not seen for 7 days, or time passes. A phone gets
    /// a bounded number of nonces an hour, and an account that it has refused waits a day.
    case owner
    /// A reason that a newer server sends and this build does not know.
    case other

    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// The body of `POST /devices/confirm`: the nonce of a silent push.
public struct DeviceConfirmation: Codable, Hashable, Sendable {
    /// The `confirm` of the silent push. It comes in no answer, because an answer reaches any account that asks, and
    /// only the phone gets a push.
    public var nonce: String
    public var deviceId: DeviceID?

    public init(nonce: String, deviceId: DeviceID? = nil) {
        self.nonce = nonce
        self.deviceId = deviceId
    }
}

/// The answer to `POST /devices` and `POST /devices/push-to-start-token`.
public struct DeviceResponse: Codable, Hashable, Sendable {
    public var deviceId: DeviceID
    /// Whether Live Activities can be started on this phone by push.
    public var liveActivitiesCapable: Bool
    /// The listed activities that should not be there: the app ends them at once. Only in the answer to `POST
    /// /devices`.
    public var end: [ActivityID]?
    /// The listed activities whose tokens APNs rejected as dead: the app registers their tokens again. Only in the
    /// answer to `POST /devices`, and only when there are any.
    public var tokensWanted: [ActivityID]?
    /// The followed matches in play whose activity is gone from the phone and is not started again by itself: the app
    /// offers to show it again, and follows again when the user wants that. Only in the answer to `POST /devices`, and
    /// only when there are any.
    public var gone: [MatchID]?
    /// The reason why the token is not registered yet (202): it is another user's. Nil when it is registered.
    public var waitsFor: TokenWait?

    public init(
        deviceId: DeviceID, liveActivitiesCapable: Bool, end: [ActivityID]? = nil, tokensWanted: [ActivityID]? = nil,
        gone: [MatchID]? = nil, waitsFor: TokenWait? = nil
    ) {
        self.deviceId = deviceId
        self.liveActivitiesCapable = liveActivitiesCapable
        self.end = end
        self.tokensWanted = tokensWanted
        self.gone = gone
        self.waitsFor = waitsFor
    }
}

/// The body of `POST /devices/push-to-start-token`.
public struct PushToStartRegistration: Codable, Hashable, Sendable {
    public var pushToStartToken: PushToStartToken
    public var deviceId: DeviceID?

    public init(pushToStartToken: PushToStartToken, deviceId: DeviceID? = nil) {
        self.pushToStartToken = pushToStartToken
        self.deviceId = deviceId
    }
}
