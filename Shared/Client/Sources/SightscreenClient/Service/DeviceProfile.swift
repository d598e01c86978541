public import SightscreenModels

/// The facts about this phone that the backend needs and that do not change while the app runs.
public struct DeviceProfile: Sendable {
    public var device: DeviceIdentity
    /// `ios` or `ipados`.
    public var platform: String
    public var osVersion: String?
    public var appVersion: String?
    /// `sandbox` for builds run from Xcode.
    public var environment: APNsEnvironment
    /// The time of the phone's last restart, in seconds since 1970. No activity outlives a restart. Nil when it is not
    /// known.
    public var bootedAt: Int?

    public init(
        deviceID: DeviceID, platform: String = "ios", osVersion: String? = nil, appVersion: String? = nil,
        environment: APNsEnvironment = .production, bootedAt: Int? = nil
    ) {
        self.init(
            device: DeviceIdentity(deviceID), platform: platform, osVersion: osVersion, appVersion: appVersion,
            environment: environment, bootedAt: bootedAt)
    }

    public init(
        device: DeviceIdentity, platform: String = "ios", osVersion: String? = nil, appVersion: String? = nil,
        environment: APNsEnvironment = .production, bootedAt: Int? = nil
    ) {
        self.device = device
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.environment = environment
        self.bootedAt = bootedAt
    }

    /// Whether activities can listen to broadcast channels: from iOS 18 on.
    public var hasBroadcastChannels: Bool { osMajor >= 18 }
    /// Whether the app can schedule activities: from iOS 26 on.
    public var schedulesActivities: Bool { osMajor >= 26 }
    private var osMajor: Int { osVersion?.split(separator: ".").first.flatMap { Int($0) } ?? 0 }

    /// The most activities in one report, which is the gateway's limit. A phone shows fewer.
    public static let activitiesMax = 16

    /// Returns the report to the gateway: the phone, the user's permissions, and the activities.
    ///
    /// - Parameters:
    ///   - device: the phone's id.
    ///   - permission: the user's permissions.
    ///   - activities: the activities on the phone.
    ///   - ended: activities that have left the screen without the user's doing.
    ///   - deviceToken: the token for ordinary notifications.
    ///   - cardsTakenOffAt: the time at which the app ended all activities because a user left. The backend may not
    ///     know of it: an activity that is missing since then was not removed by the user, as after a restart.
    ///   - now: the present, in seconds since 1970.
    func registration(
        of device: DeviceID, _ permission: ActivityPermission, _ activities: [PhoneActivity],
        ended: [RunningActivity] = [], deviceToken: DeviceToken?, cardsTakenOffAt: Int? = nil, now: Int
    ) -> DeviceRegistration {
        // Running activities come first, because the gateway's limit may cut the list.
        let shown = activities.filter { $0.state != .dismissed }.sorted { $0.isRunning && !$1.isRunning }
        let listed = shown.map { RunningActivity($0, seenAt: now) }
        let gone = ended.filter { one in !listed.contains { $0.activityId == one.activityId } }
        return DeviceRegistration(
            deviceId: device, platform: platform, deviceToken: deviceToken, osVersion: osVersion,
            appVersion: appVersion, environment: environment, liveActivitiesEnabled: permission.showsActivities,
            frequentPushesEnabled: permission.allowsFrequentPushes, broadcast: hasBroadcastChannels,
            activities: Array((listed + gone).prefix(Self.activitiesMax)),
            // The times are whole seconds, and an activity that existed in that second counts as removed, too.
            bootedAt: [bootedAt, cardsTakenOffAt.map { min($0, now) + 1 }].compactMap { $0 }.max())
    }
}

extension RunningActivity {
    init(_ activity: PhoneActivity, seenAt now: Int) {
        let state: State =
            switch activity.state {
            case .pending: .pending
            case .active: .active
            case .stale: .stale
            case .ended: .ended
            case .dismissed: .dismissed
            }
        self.init(
            matchId: activity.matchID, activityId: activity.id, startId: activity.startID, state: state,
            channel: activity.channel, pending: activity.state == .pending ? true : nil, lastSeen: now)
    }
}
