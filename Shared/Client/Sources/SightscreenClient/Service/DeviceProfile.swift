public import Messages
public import Sightscreen

/// What the backend should know of this phone and never changes while the app runs.
public struct DeviceProfile: Hashable, Sendable {
    /// `identifierForVendor`: another one after a new installation.
    public var deviceID: DeviceID
    /// `ios` or `ipados`.
    public var platform: String
    public var osVersion: String?
    public var appVersion: String?
    /// `sandbox` for builds run from Xcode.
    public var environment: PushEnvironment

    public init(
        deviceID: DeviceID, platform: String = "ios", osVersion: String? = nil, appVersion: String? = nil,
        environment: PushEnvironment = .production
    ) {
        self.deviceID = deviceID
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.environment = environment
    }

    /// The gateway takes no more in one report; a phone shows fewer.
    public static let activitiesMax = 16

    /// What is said to the gateway: who this is, what the user allows, and what runs here, none of which is to be started
    /// again.
    func registration(
        _ permission: ActivityPermission, running activities: [PhoneActivity], deviceToken: DeviceToken?
    ) -> DeviceRegistration {
        DeviceRegistration(
            deviceId: deviceID, platform: platform, deviceToken: deviceToken, osVersion: osVersion,
            appVersion: appVersion, environment: environment, liveActivitiesEnabled: permission.showsActivities,
            frequentPushesEnabled: permission.allowsFrequentPushes,
            activities: activities.filter(\.isRunning).prefix(Self.activitiesMax).map {
                RunningActivity(matchId: $0.matchID, activityId: $0.id, startId: $0.startID)
            })
    }
}
