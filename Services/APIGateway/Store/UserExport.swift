import Postgres
import SightscreenModels
import Store

/// Reads the rows of one user for `GET /user/data`. Tokens are not read, so that a damaged one keeps no answer back.
enum UserExport {
    static func devices(
        _ transaction: PostgresTransaction, _ user: UserID
    ) async throws -> [UserDataResponse.Device] {
        try await transaction.query(
            """
            SELECT device_id, platform, environment, os_version, app_version,
                live_activities_enabled, frequent_pushes_enabled, broadcast, fallback_step,
                \(seconds("device_token_at", "push_to_start_token_at", "created_at", "last_seen_at")),
                \(seconds("fallback_at", "visible_push_at", "reconcile_sent_at"))
            FROM devices WHERE user_id = $1 ORDER BY device_id
            """, [.text(user.rawValue)]
        ).map { row in
            UserDataResponse.Device(
                deviceId: DeviceID(try row.string("device_id")), platform: try row.string("platform"),
                environment: try row.environment(),
                deviceTokenAt: try row.optionalInt("device_token_at"),
                pushToStartTokenAt: try row.optionalInt("push_to_start_token_at"),
                osVersion: try row.optionalString("os_version"), appVersion: try row.optionalString("app_version"),
                liveActivitiesEnabled: try row.bool("live_activities_enabled"),
                frequentPushesEnabled: try row.bool("frequent_pushes_enabled"), broadcast: try row.bool("broadcast"),
                createdAt: try row.int("created_at"), lastSeenAt: try row.int("last_seen_at"),
                fallbackStep: try row.string("fallback_step"), fallbackAt: try row.optionalInt("fallback_at"),
                visiblePushAt: try row.optionalInt("visible_push_at"),
                reconcileSentAt: try row.optionalInt("reconcile_sent_at"))
        }
    }

    /// Includes follows that have expired and wait to be removed, because they are still stored.
    static func follows(_ transaction: PostgresTransaction, _ user: UserID) async throws -> [UserDataResponse.Follow] {
        try await transaction.query(
            """
            SELECT match_id, team_id, alerts, \(seconds("created_at", "expires_at"))
            FROM match_follows AS f WHERE user_id = $1 ORDER BY f.created_at, match_id
            """, [.text(user.rawValue)]
        ).map { row in
            UserDataResponse.Follow(
                matchId: MatchID(try row.int64("match_id")),
                teamId: try row.optionalInt64("team_id").map { String($0) }, alerts: try row.string("alerts"),
                followedAt: try row.int("created_at"), expiresAt: try row.optionalInt("expires_at"))
        }
    }

    /// - Returns: the newest `limit` activities, and the number of all.
    static func activities(
        _ transaction: PostgresTransaction, _ user: UserID, limit: Int
    ) async throws -> ([UserDataResponse.Activity], Int) {
        let rows = try await transaction.query(
            """
            SELECT match_id, device_id, generation, status, end_reason, start_id, starts_sent, activity_id,
                end_push, renewal_start_id, card, channel_id,
                count(*) OVER () AS all_rows,
                \(seconds("start_sent_at", "start_given_up_at", "token_at", "created_at", "activated_at", "ended_at")),
                \(seconds("renewal_due_at", "renewal_sent_at", "seen_at"))
            FROM live_activities AS l WHERE user_id = $1
            ORDER BY l.created_at DESC, match_id, device_id, generation DESC LIMIT $2
            """, [.text(user.rawValue), .int(limit)])
        let activities = try rows.map { row in
            UserDataResponse.Activity(
                matchId: MatchID(try row.int64("match_id")), deviceId: DeviceID(try row.string("device_id")),
                generation: try row.int("generation"), status: try row.string("status"),
                endReason: try row.optionalString("end_reason"),
                startId: try row.optionalString("start_id").map { StartID($0) },
                startsSent: try row.int("starts_sent"), startSentAt: try row.optionalInt("start_sent_at"),
                startGivenUpAt: try row.optionalInt("start_given_up_at"),
                activityId: try row.optionalString("activity_id").map { ActivityID($0) },
                activityTokenAt: try row.optionalInt("token_at"), endPush: try row.string("end_push"),
                createdAt: try row.int("created_at"), activatedAt: try row.optionalInt("activated_at"),
                endedAt: try row.optionalInt("ended_at"), renewalDueAt: try row.optionalInt("renewal_due_at"),
                renewalStartId: try row.optionalString("renewal_start_id").map { StartID($0) },
                renewalSentAt: try row.optionalInt("renewal_sent_at"), seenAt: try row.optionalInt("seen_at"),
                card: try row.optionalString("card"),
                channelId: try row.optionalString("channel_id").map { ChannelID($0) })
        }
        return (activities, try rows.first?.int("all_rows") ?? 0)
    }

    /// Selects each column as whole seconds since 1970, under its own name.
    private static func seconds(_ columns: String...) -> String {
        columns.map { "floor(extract(epoch FROM \($0)))::bigint AS \($0)" }.joined(separator: ", ")
    }
}
