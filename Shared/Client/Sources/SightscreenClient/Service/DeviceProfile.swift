public import SightscreenModels

/// What the backend should know of this phone and never changes while the app runs.
public struct DeviceProfile: Hashable, Sendable {
    /// `identifierForVendor`: another one after a new installation.
    public var deviceID: DeviceID
    /// `ios` or `ipados`.
    public var platform: String
    public var osVersion: String?
    public var appVersion: String?
    /// `sandbox` for builds run from Xcode.
    public var environment: APNsEnvironment
    /// When the phone was last restarted, seconds since 1970: no card outlives that. Nil when it cannot be told.
    public var bootedAt: Int?

    public init(
        deviceID: DeviceID, platform: String = "ios", osVersion: String? = nil, appVersion: String? = nil,
        environment: APNsEnvironment = .production, bootedAt: Int? = nil
    ) {
        self.deviceID = deviceID
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.environment = environment
        self.bootedAt = bootedAt
    }

    /// The gateway takes no more in one report; a phone shows fewer.
    public static let activitiesMax = 16

    /// What is said to the gateway: who this is, what the user allows, and which cards are here.
    /// - Parameters:
    ///   - ended: cards that have left the screen without the user's doing.
    ///   - cardsTakenOffAt: when the app took all cards off, because a user left. The backend may not have heard of that: a
    ///     card that is missing since was not swiped away, as after a restart.
    func registration(
        _ permission: ActivityPermission, _ activities: [PhoneActivity], ended: [RunningActivity] = [],
        deviceToken: DeviceToken?, cardsTakenOffAt: Int? = nil, now: Int
    ) -> DeviceRegistration {
        // Those that run first: the gateway takes so many.
        let shown = activities.filter { $0.state != .dismissed }.sorted { $0.isRunning && !$1.isRunning }
        let listed = shown.map { RunningActivity($0, seenAt: now) }
        let gone = ended.filter { one in !listed.contains { $0.activityId == one.activityId } }
        return DeviceRegistration(
            deviceId: deviceID, platform: platform, deviceToken: deviceToken, osVersion: osVersion,
            appVersion: appVersion, environment: environment, liveActivitiesEnabled: permission.showsActivities,
            frequentPushesEnabled: permission.allowsFrequentPushes,
            activities: Array((listed + gone).prefix(Self.activitiesMax)),
            // Whole seconds: what was there in that one counts, too.
            bootedAt: [bootedAt, cardsTakenOffAt.map { min($0, now) + 1 }].compactMap { $0 }.max())
    }
}

extension RunningActivity {
    init(_ activity: PhoneActivity, seenAt now: Int) {
        let state: State =
            switch activity.state {
            case .active: .active
            case .stale: .stale
            case .ended: .ended
            case .dismissed: .dismissed
            }
        self.init(
            matchId: activity.matchID, activityId: activity.id, startId: activity.startID, state: state, lastSeen: now)
    }
}
