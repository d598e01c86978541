package import Activities
package import SightscreenModels
import Store

/// `sightscreen inspect user`. Times are seconds since 1970 of the database's clock.
package struct UserInspection: Sendable, Codable {
    package struct Follow: Sendable, Codable {
        package var matchId: MatchID
        /// "Rajasthan Royals v Kolkata Knight Riders", if the schedule knows the match.
        package var title: String?
        package var phase: LivePhase
        package var hold: HoldLevel
        package var alerts: String
        package var teamId: Int?
        package var createdAt: Int
        package var expiresAt: Int?
        package var phones: [Phone]
    }

    /// What becomes of one match on one phone.
    package struct Phone: Sendable, Codable {
        package var deviceId: DeviceID
        package var shouldExist: Bool
        /// `pending`, `active`, or nil.
        package var exists: String?
        package var generation: Int?
        package var finding: ActivityFinding
    }

    package var userId: UserID
    package var now: Int
    /// The account was deleted then.
    package var deletedAt: Int?
    package var devices: [InspectedDevice]
    /// The newest first, 200 at most.
    package var follows: [Follow]
    /// Activities that have not ended, of matches that the user does not follow.
    package var withoutFollow: [InspectedActivity]
}

/// `sightscreen inspect device`: an id may be that of one phone with several users, one after the other.
package struct DeviceInspection: Sendable, Codable {
    package struct Registration: Sendable, Codable {
        package var userId: UserID
        /// Nil: there are activities of it, but no record.
        package var device: InspectedDevice?
        /// The newest first, 200 at most.
        package var activities: [InspectedActivity]
    }

    package var deviceId: DeviceID
    package var now: Int
    package var registrations: [Registration]
}

/// A row of `devices`. Of a token only the first 8 hex digits of its SHA-256.
package struct InspectedDevice: Sendable, Codable {
    package var deviceId: DeviceID
    package var shard: Int
    package var platform: String
    package var environment: APNsEnvironment
    package var osVersion: String?
    package var appVersion: String?
    package var isEnabled: Bool
    package var hasFrequentPushes: Bool
    package var deviceToken: String?
    package var deviceTokenAt: Int?
    package var startToken: String?
    package var startTokenAt: Int?
    package var createdAt: Int
    package var lastSeenAt: Int
    /// Push-to-starts as the caps count them, and the caps.
    package var startsThisHour: Int
    package var startsThisHourMax: Int
    package var startsThisDay: Int
    package var startsThisDayMax: Int
    package var startsOfUserThisDay: Int
    package var startsOfUserThisDayMax: Int
    /// What is done because it does not answer to starts (`StartFallback.Step`), since when, and whether its push has
    /// left.
    package var fallbackStep: String
    package var fallbackAt: Int?
    package var fallbackPush: String
    package var visiblePushAt: Int?
    /// APNs called the last push-to-start token dead, and the app has registered none since.
    package var isStartTokenDead: Bool

    package var isCapable: Bool { isEnabled && startToken != nil }

    /// The bound that is reached, if any.
    package var cap: ActivityCase.Cap? {
        if startsThisHour >= startsThisHourMax { return .phoneHour }
        if startsThisDay >= startsThisDayMax { return .phoneDay }
        return startsOfUserThisDay >= startsOfUserThisDayMax ? .userDay : nil
    }
}

/// A row of `live_activities`.
package struct InspectedActivity: Sendable, Codable {
    package var matchId: MatchID
    package var deviceId: DeviceID
    package var generation: Int
    package var status: String
    package var endReason: String?
    package var startId: String?
    package var startAttempts: Int
    package var startSentAt: Int?
    package var startLeaseUntil: Int?
    package var startGivenUpAt: Int?
    package var updateToken: String?
    package var tokenAt: Int?
    package var endPush: String
    package var endAttempts: Int
    package var createdAt: Int
    package var activatedAt: Int?
    package var endedAt: Int?
    /// Its replacement before iOS's eight hours are over.
    package var renewalDueAt: Int?
    package var renewalAttempts: Int
    package var renewalSentAt: Int?
    package var renewalLeaseUntil: Int?
}
