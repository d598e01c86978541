public import Activities
public import SightscreenModels

/// `sightscreen inspect user`. Times are seconds since 1970 of the database's clock.
public struct UserInspection: Sendable, Codable {
    public struct Follow: Sendable, Codable {
        public var matchId: MatchID
        /// "Rajasthan Royals v Kolkata Knight Riders", if the schedule knows the match.
        public var title: String?
        public var phase: LivePhase
        public var hold: HoldLevel
        public var alerts: String
        public var teamId: Int?
        public var createdAt: Int
        public var expiresAt: Int?
        public var phones: [Phone]
    }

    /// What becomes of one match on one phone.
    public struct Phone: Sendable, Codable {
        public var deviceId: DeviceID
        public var shouldExist: Bool
        /// `pending`, `active`, or nil.
        public var exists: String?
        public var generation: Int?
        public var finding: ActivityFinding
    }

    public var userId: UserID
    public var now: Int
    /// The account was deleted then.
    public var deletedAt: Int?
    public var devices: [InspectedDevice]
    /// The newest first, 200 at most.
    public var follows: [Follow]
    /// Activities that have not ended, of matches that the user does not follow.
    public var withoutFollow: [InspectedActivity]
}

/// `sightscreen inspect device`: an id may be that of one phone with several users, one after the other.
public struct DeviceInspection: Sendable, Codable {
    public struct Registration: Sendable, Codable {
        public var userId: UserID
        /// Nil: there are activities of it, but no record.
        public var device: InspectedDevice?
        /// The newest first, 200 at most.
        public var activities: [InspectedActivity]
    }

    public var deviceId: DeviceID
    public var now: Int
    public var registrations: [Registration]
}

/// A row of `devices`. Of a token only the first 8 hex digits of its SHA-256.
public struct InspectedDevice: Sendable, Codable {
    public var deviceId: DeviceID
    public var shard: Int
    public var platform: String
    public var environment: APNsEnvironment
    public var osVersion: String?
    public var appVersion: String?
    public var isEnabled: Bool
    public var hasFrequentPushes: Bool
    public var deviceToken: String?
    public var deviceTokenAt: Int?
    public var startToken: String?
    public var startTokenAt: Int?
    public var createdAt: Int
    public var lastSeenAt: Int
    /// Push-to-starts as the caps count them, and the caps.
    public var startsThisHour: Int
    public var startsThisHourMax: Int
    public var startsThisDay: Int
    public var startsThisDayMax: Int
    public var startsOfUserThisDay: Int
    public var startsOfUserThisDayMax: Int
    /// What is done because it does not answer to starts (`StartFallback.Step`), since when, and whether its push has
    /// left.
    public var fallbackStep: String
    public var fallbackAt: Int?
    public var fallbackPush: String
    public var visiblePushAt: Int?
    /// APNs called the last push-to-start token dead, and the app has registered none since.
    public var isStartTokenDead: Bool

    public var isCapable: Bool { isEnabled && startToken != nil }

    /// The bound that is reached, if any.
    public var cap: ActivityCase.Cap? {
        if startsThisHour >= startsThisHourMax { return .phoneHour }
        if startsThisDay >= startsThisDayMax { return .phoneDay }
        return startsOfUserThisDay >= startsOfUserThisDayMax ? .userDay : nil
    }
}

/// A row of `live_activities`.
public struct InspectedActivity: Sendable, Codable {
    public var matchId: MatchID
    public var deviceId: DeviceID
    public var generation: Int
    public var status: String
    public var endReason: String?
    public var startId: String?
    public var startAttempts: Int
    public var startSentAt: Int?
    public var startLeaseUntil: Int?
    public var startGivenUpAt: Int?
    public var updateToken: String?
    public var tokenAt: Int?
    public var endPush: String
    public var endAttempts: Int
    public var createdAt: Int
    public var activatedAt: Int?
    public var endedAt: Int?
    /// Its replacement before iOS's eight hours are over.
    public var renewalDueAt: Int?
    public var renewalAttempts: Int
    public var renewalSentAt: Int?
    public var renewalLeaseUntil: Int?
}
