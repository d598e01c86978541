public import Sightscreen

/// `POST /devices`. What is left out stays as it was; a null `deviceToken` forgets the token.
public struct DeviceRegistration: Codable, Hashable, Sendable {
    public var deviceId: DeviceID
    public var platform: String
    public var deviceToken: DeviceToken?
    public var osVersion: String?
    public var appVersion: String?
    public var environment: PushEnvironment?
    public var liveActivitiesEnabled: Bool?
    public var frequentPushesEnabled: Bool?
    /// What runs on the phone; none of it is started again.
    public var activities: [RunningActivity]?

    public init(
        deviceId: DeviceID, platform: String = "ios", deviceToken: DeviceToken? = nil, osVersion: String? = nil,
        appVersion: String? = nil, environment: PushEnvironment? = nil, liveActivitiesEnabled: Bool? = nil,
        frequentPushesEnabled: Bool? = nil, activities: [RunningActivity]? = nil
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
    }
}

/// One Live Activity that a phone says it shows.
public struct RunningActivity: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public var activityId: ActivityID?
    public var startId: StartID?

    public init(matchId: MatchID, activityId: ActivityID? = nil, startId: StartID? = nil) {
        self.matchId = matchId
        self.activityId = activityId
        self.startId = startId
    }
}

/// Which APNs host a phone's tokens belong to.
public enum PushEnvironment: String, Codable, Hashable, Sendable, CaseIterable { case production, sandbox }

/// The answer to both registrations.
public struct DeviceResponse: Codable, Hashable, Sendable {
    public var deviceId: DeviceID
    /// Whether Live Activities can be started on it by push.
    public var liveActivitiesCapable: Bool

    public init(deviceId: DeviceID, liveActivitiesCapable: Bool) {
        self.deviceId = deviceId
        self.liveActivitiesCapable = liveActivitiesCapable
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
