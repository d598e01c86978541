package import Activities
package import SightscreenModels
import Store

/// The findings of `sightscreen inspect user`. Times are seconds since 1970 of the database's clock.
package struct UserInspection: Sendable, Codable {
    package struct Follow: Sendable, Codable {
        package var matchId: MatchID
        /// The match's title, "Rajasthan Royals v Kolkata Knight Riders", if the schedule knows it.
        package var title: String?
        package var phase: LivePhase
        package var hold: HoldLevel
        package var alerts: String
        package var teamId: Int?
        package var createdAt: Int
        package var expiresAt: Int?
        package var phones: [Phone]
    }

    /// The state of one match on one phone.
    package struct Phone: Sendable, Codable {
        package var deviceId: DeviceID
        package var shouldExist: Bool
        /// The status of the activity, `pending` or `active`; nil when there is none.
        package var exists: String?
        package var generation: Int?
        package var finding: ActivityFinding
    }

    package var userId: UserID
    package var now: Int
    /// When the account was deleted; nil when it was not.
    package var deletedAt: Int?
    package var devices: [InspectedDevice]
    /// The follows, the newest first, 200 at most.
    package var follows: [Follow]
    /// Activities that have not ended, of matches that the user does not follow.
    package var withoutFollow: [InspectedActivity]
}

/// The findings of `sightscreen inspect device`: an id may be that of one phone with several users, one after the
/// other.
package struct DeviceInspection: Sendable, Codable {
    package struct Registration: Sendable, Codable {
        package var userId: UserID
        /// The phone's record; nil when there are only activities of it.
        package var device: InspectedDevice?
        /// The activities, the newest first, 200 at most.
        package var activities: [InspectedActivity]
    }

    package var deviceId: DeviceID
    package var now: Int
    package var registrations: [Registration]
}

/// A row of `devices`. A token is shown as the first 8 hex digits of its SHA-256.
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
    /// Push-to-starts as the caps count them, each with its cap.
    package var startsThisHour: Int
    package var startsThisHourMax: Int
    package var startsThisDay: Int
    package var startsThisDayMax: Int
    package var startsOfUserThisDay: Int
    package var startsOfUserThisDayMax: Int
    /// The fallback step that was taken because the phone does not answer starts (`StartFallback.Step`); `fallbackAt`
    /// is its time, `fallbackPush` whether its push has left.
    package var fallbackStep: String
    package var fallbackAt: Int?
    package var fallbackPush: String
    package var visiblePushAt: Int?
    /// Whether APNs called the last push-to-start token dead, and the app has registered none since.
    package var isStartTokenDead: Bool

    package var isCapable: Bool { isEnabled && startToken != nil }

    /// The cap that is reached; nil when none is.
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
    /// When the activity's replacement is due, before iOS's eight hours are over.
    package var renewalDueAt: Int?
    package var renewalAttempts: Int
    package var renewalSentAt: Int?
    package var renewalLeaseUntil: Int?
    /// The broadcast channel that the card listens to, "production, all alerts, generation 2"; nil for a card on a token.
    package var channel: String?
}
