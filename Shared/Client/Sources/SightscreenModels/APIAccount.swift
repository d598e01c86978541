/// The answer to `GET /user/data`: everything that is kept about a user, read at one moment. Times are seconds since
/// 1970. A value that is not known is absent.
public struct UserDataResponse: Codable, Hashable, Sendable {
    public var userId: UserID
    public var exportedAt: Int
    /// The time at which an earlier account of this user was deleted, for as long as that is remembered.
    public var deletedAt: Int?
    public var devices: [Device]
    public var follows: [Follow]
    /// Every generation of every activity, newest first.
    public var liveActivities: [Activity]
    /// The number of older activities that are left out because there are too many for one answer.
    public var liveActivitiesOmitted: Int?

    public init(
        userId: UserID, exportedAt: Int, deletedAt: Int?, devices: [Device], follows: [Follow],
        liveActivities: [Activity], liveActivitiesOmitted: Int?
    ) {
        self.userId = userId
        self.exportedAt = exportedAt
        self.deletedAt = deletedAt
        self.devices = devices
        self.follows = follows
        self.liveActivities = liveActivities
        self.liveActivitiesOmitted = liveActivitiesOmitted
    }

    /// A phone or tablet. Of a token only its kind and the time at which it came are told: a token gives access to a Lock
    /// Screen, and is of no use to its user.
    public struct Device: Codable, Hashable, Sendable {
        public var deviceId: DeviceID
        public var platform: String
        public var environment: APNsEnvironment
        public var deviceTokenAt: Int?
        public var pushToStartTokenAt: Int?
        public var osVersion: String?
        public var appVersion: String?
        public var liveActivitiesEnabled: Bool
        public var frequentPushesEnabled: Bool
        /// Whether the phone can subscribe to broadcast channels.
        public var broadcast: Bool?
        public var createdAt: Int
        public var lastSeenAt: Int
        /// The last push that was sent because push-to-starts do not arrive: `none`, `silent`, `visible` or `passive`.
        public var fallbackStep: String
        public var fallbackAt: Int?
        /// The time of the last visible notification of that kind.
        public var visiblePushAt: Int?
        /// The time at which a silent push last asked the app which activities it shows.
        public var reconcileSentAt: Int?

        public init(
            deviceId: DeviceID, platform: String, environment: APNsEnvironment,
            deviceTokenAt: Int?, pushToStartTokenAt: Int?, osVersion: String?, appVersion: String?,
            liveActivitiesEnabled: Bool, frequentPushesEnabled: Bool, broadcast: Bool? = nil, createdAt: Int,
            lastSeenAt: Int,
            fallbackStep: String, fallbackAt: Int?, visiblePushAt: Int?, reconcileSentAt: Int?
        ) {
            self.deviceId = deviceId
            self.platform = platform
            self.environment = environment
            self.deviceTokenAt = deviceTokenAt
            self.pushToStartTokenAt = pushToStartTokenAt
            self.osVersion = osVersion
            self.appVersion = appVersion
            self.liveActivitiesEnabled = liveActivitiesEnabled
            self.frequentPushesEnabled = frequentPushesEnabled
            self.broadcast = broadcast
            self.createdAt = createdAt
            self.lastSeenAt = lastSeenAt
            self.fallbackStep = fallbackStep
            self.fallbackAt = fallbackAt
            self.visiblePushAt = visiblePushAt
            self.reconcileSentAt = reconcileSentAt
        }
    }

    /// One followed match.
    public struct Follow: Codable, Hashable, Sendable {
        public var matchId: MatchID
        public var teamId: String?
        public var alerts: String
        public var followedAt: Int
        public var expiresAt: Int?

        public init(matchId: MatchID, teamId: String?, alerts: String, followedAt: Int, expiresAt: Int?) {
            self.matchId = matchId
            self.teamId = teamId
            self.alerts = alerts
            self.followedAt = followedAt
            self.expiresAt = expiresAt
        }
    }

    /// One generation of a Live Activity on one phone.
    public struct Activity: Codable, Hashable, Sendable {
        public var matchId: MatchID
        public var deviceId: DeviceID
        public var generation: Int
        /// `pending`, `active` or `ended`.
        public var status: String
        public var endReason: String?
        public var startId: StartID?
        /// The number of push-to-starts that were sent and may have arrived.
        public var startsSent: Int
        public var startSentAt: Int?
        public var startGivenUpAt: Int?
        public var activityId: ActivityID?
        public var activityTokenAt: Int?
        /// `none`, `due`, `sent` or `dropped`.
        public var endPush: String
        public var createdAt: Int
        public var activatedAt: Int?
        public var endedAt: Int?
        /// The time at which the activity is to be replaced, before iOS ends it. `renewalStartId` is the start that was
        /// sent for that.
        public var renewalDueAt: Int?
        public var renewalStartId: StartID?
        public var renewalSentAt: Int?
        /// The time at which the phone last listed the activity. `card` says whether it is missing since: `unknown` or
        /// `gone`.
        public var seenAt: Int?
        public var card: String?
        /// The broadcast channel that the activity is subscribed to.
        public var channelId: ChannelID?

        public init(
            matchId: MatchID, deviceId: DeviceID, generation: Int, status: String, endReason: String?,
            startId: StartID?, startsSent: Int, startSentAt: Int?, startGivenUpAt: Int?, activityId: ActivityID?,
            activityTokenAt: Int?, endPush: String, createdAt: Int, activatedAt: Int?,
            endedAt: Int?, renewalDueAt: Int?, renewalStartId: StartID?, renewalSentAt: Int?,
            seenAt: Int?, card: String?, channelId: ChannelID? = nil
        ) {
            self.matchId = matchId
            self.deviceId = deviceId
            self.generation = generation
            self.status = status
            self.endReason = endReason
            self.startId = startId
            self.startsSent = startsSent
            self.startSentAt = startSentAt
            self.startGivenUpAt = startGivenUpAt
            self.activityId = activityId
            self.activityTokenAt = activityTokenAt
            self.endPush = endPush
            self.createdAt = createdAt
            self.activatedAt = activatedAt
            self.endedAt = endedAt
            self.renewalDueAt = renewalDueAt
            self.renewalStartId = renewalStartId
            self.renewalSentAt = renewalSentAt
            self.seenAt = seenAt
            self.card = card
            self.channelId = channelId
        }
    }
}
