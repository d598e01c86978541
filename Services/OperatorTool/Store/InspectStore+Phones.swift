import Activities
import Postgres
package import SightscreenModels
import Store

extension InspectStore {
    /// Inspects a user.
    ///
    /// - Returns: nil when nothing is known of the user.
    package func user(_ id: UserID) async throws -> UserInspection? {
        let devices = try await devices("d.user_id = $1", id.rawValue).map(\.device)
        let current = try await activities("a.user_id = $1 AND a.status <> 'ended'", [.text(id.rawValue)])
        let deleted = try await pool.query(
            "SELECT \(Self.seconds("deleted_at", of: "u")) FROM deleted_users AS u WHERE user_id = $1",
            [.text(id.rawValue)])
        let holds = try await HoldStore(pool: pool).all()
        let follows = try await followRows(id).map { row in
            let match = MatchID(try row.int64("match_id"))
            return try follow(
                row, match, holds.level(for: match), devices, current.filter { $0.activity.matchId == match })
        }
        let deletedAt = try deleted.first?.int("deleted_at")
        guard !devices.isEmpty || !current.isEmpty || !follows.isEmpty || deletedAt != nil else { return nil }
        let followed = Set(follows.map(\.matchId))
        return UserInspection(
            userId: id, now: try await Self.now(pool), deletedAt: deletedAt, devices: devices, follows: follows,
            withoutFollow: current.map(\.activity).filter { !followed.contains($0.matchId) })
    }

    /// Inspects a phone.
    ///
    /// - Returns: nil when nothing is known of the phone.
    package func device(_ id: DeviceID) async throws -> DeviceInspection? {
        let devices = try await devices("d.device_id = $1", id.rawValue)
        let users = try await pool.query(
            "SELECT DISTINCT user_id FROM live_activities WHERE device_id = $1 LIMIT 20", [.text(id.rawValue)])
        let all = Set(devices.map(\.user)).union(try users.map { UserID(try $0.string("user_id")) })
        guard !all.isEmpty else { return nil }
        var registrations: [DeviceInspection.Registration] = []
        for user in all.sorted(by: { $0.rawValue < $1.rawValue }) {
            registrations.append(
                .init(
                    userId: user, device: devices.first { $0.user == user }?.device,
                    activities: try await activities(
                        "a.user_id = $1 AND a.device_id = $2", [.text(user.rawValue), .text(id.rawValue)]
                    ).map(\.activity)))
        }
        return DeviceInspection(deviceId: id, now: try await Self.now(pool), registrations: registrations)
    }

    private func devices(
        _ condition: String, _ parameter: String
    ) async throws -> [(user: UserID, device: InspectedDevice)] {
        let rows = try await pool.query(
            """
            SELECT d.user_id, d.device_id, d.shard, d.platform, d.environment, d.os_version, d.app_version,
                d.live_activities_enabled, d.frequent_pushes_enabled, \(Self.fingerprint("device_token", of: "d")),
                \(Self.seconds("device_token_at", of: "d")), \(Self.fingerprint("push_to_start_token", of: "d")),
                \(Self.seconds("push_to_start_token_at", of: "d")), \(Self.seconds("created_at", of: "d")),
                \(Self.seconds("last_seen_at", of: "d")), d.fallback_step, \(Self.seconds("fallback_at", of: "d")),
                d.fallback_push, \(Self.seconds("visible_push_at", of: "d")),
                d.dead_start_token_hash IS NOT NULL AS is_start_token_dead, sent.*
            FROM devices AS d CROSS JOIN LATERAL (\(Self.sent(user: "d.user_id", device: "d.device_id"))) AS sent
            WHERE \(condition) ORDER BY d.last_seen_at DESC, d.user_id, d.device_id LIMIT \(Self.linesMax)
            """, [.text(parameter)])
        return try rows.map { row in
            (
                UserID(try row.string("user_id")),
                InspectedDevice(
                    deviceId: DeviceID(try row.string("device_id")), shard: try row.int("shard"),
                    platform: try row.string("platform"), environment: try row.environment(),
                    osVersion: try row.optionalString("os_version"),
                    appVersion: try row.optionalString("app_version"),
                    isEnabled: try row.bool("live_activities_enabled"),
                    hasFrequentPushes: try row.bool("frequent_pushes_enabled"),
                    deviceToken: try row.optionalString("device_token"),
                    deviceTokenAt: try row.optionalInt("device_token_at"),
                    startToken: try row.optionalString("push_to_start_token"),
                    startTokenAt: try row.optionalInt("push_to_start_token_at"), createdAt: try row.int("created_at"),
                    lastSeenAt: try row.int("last_seen_at"), startsThisHour: try row.int("this_hour"),
                    startsThisHourMax: StartPolicy.perDeviceHourMax, startsThisDay: try row.int("this_day"),
                    startsThisDayMax: StartPolicy.perDeviceDayMax,
                    startsOfUserThisDay: try row.int("user_day"),
                    startsOfUserThisDayMax: StartPolicy.perUserDayMax,
                    fallbackStep: try row.string("fallback_step"), fallbackAt: try row.optionalInt("fallback_at"),
                    fallbackPush: try row.string("fallback_push"),
                    visiblePushAt: try row.optionalInt("visible_push_at"),
                    isStartTokenDead: try row.bool("is_start_token_dead"))
            )
        }
    }

    /// The activities, the newest first.
    private func activities(
        _ condition: String, _ parameters: [PostgresValue]
    ) async throws -> [(activity: InspectedActivity, record: ActivityCase.Record)] {
        let rows = try await pool.query(
            """
            SELECT a.match_id, a.device_id, a.generation, a.status, a.end_reason, a.start_id, a.start_attempts,
                \(Self.seconds("start_sent_at", of: "a")), \(Self.seconds("start_lease_until", of: "a")),
                \(Self.seconds("start_given_up_at", of: "a")), \(Self.fingerprint("update_token", of: "a")),
                \(Self.seconds("token_at", of: "a")), a.end_push, a.end_attempts,
                \(Self.seconds("created_at", of: "a")), \(Self.seconds("activated_at", of: "a")),
                \(Self.seconds("ended_at", of: "a")), \(Self.seconds("renewal_due_at", of: "a")), a.renewal_attempts,
                \(Self.seconds("renewal_sent_at", of: "a")), \(Self.seconds("renewal_lease_until", of: "a")),
                (SELECT c.environment || ', ' || \(ChannelSQL.alerts("c.class")) || ' alerts, generation ' || c.generation
                    FROM broadcast_channels AS c
                    WHERE c.match_id = a.match_id AND c.channel_id = a.channel_id LIMIT 1) AS channel,
                a.start_attempts > 0 AS tried,
                coalesce(\(Self.isLeased), false) AS leased, coalesce(\(Self.isGivenUp), false) AS given_up
            FROM live_activities AS a WHERE \(condition)
            ORDER BY a.created_at DESC, a.match_id, a.generation DESC LIMIT \(Self.linesMax)
            """, parameters)
        return try rows.map { row in
            (
                InspectedActivity(
                    matchId: MatchID(try row.int64("match_id")), deviceId: DeviceID(try row.string("device_id")),
                    generation: try row.int("generation"), status: try row.string("status"),
                    endReason: try row.optionalString("end_reason"), startId: try row.optionalString("start_id"),
                    startAttempts: try row.int("start_attempts"), startSentAt: try row.optionalInt("start_sent_at"),
                    startLeaseUntil: try row.optionalInt("start_lease_until"),
                    startGivenUpAt: try row.optionalInt("start_given_up_at"),
                    updateToken: try row.optionalString("update_token"), tokenAt: try row.optionalInt("token_at"),
                    endPush: try row.string("end_push"), endAttempts: try row.int("end_attempts"),
                    createdAt: try row.int("created_at"), activatedAt: try row.optionalInt("activated_at"),
                    endedAt: try row.optionalInt("ended_at"), renewalDueAt: try row.optionalInt("renewal_due_at"),
                    renewalAttempts: try row.int("renewal_attempts"),
                    renewalSentAt: try row.optionalInt("renewal_sent_at"),
                    renewalLeaseUntil: try row.optionalInt("renewal_lease_until"),
                    channel: try row.optionalString("channel")), try Self.record(row)
            )
        }
    }

    private func followRows(_ user: UserID) async throws -> [PostgresRow] {
        try await pool.query(
            """
            SELECT f.match_id, f.team_id, f.alerts, \(Self.seconds("created_at", of: "f")),
                \(Self.seconds("expires_at", of: "f")),
                coalesce(f.expires_at <= clock_timestamp(), false) AS is_expired, x.status AS fixture_status,
                x.home_name || ' v ' || x.away_name AS title,
                coalesce(x.missing_since < x.synced_at, false) AS has_vanished, m.display_state,
                coalesce(m.at_stumps, false) AS at_stumps, m.settled_at IS NOT NULL AS is_settled,
                m.ended_at IS NOT NULL AS is_ended
            FROM match_follows AS f
            LEFT JOIN fixtures AS x ON x.match_id = f.match_id
            LEFT JOIN active_matches AS m ON m.match_id = f.match_id
            WHERE f.user_id = $1 ORDER BY f.created_at DESC, f.match_id LIMIT \(Self.linesMax)
            """, [.text(user.rawValue)])
    }

    private func follow(
        _ row: PostgresRow, _ match: MatchID, _ hold: HoldLevel, _ devices: [InspectedDevice],
        _ current: [(activity: InspectedActivity, record: ActivityCase.Record)]
    ) throws -> UserInspection.Follow {
        let phase = LivePhase(
            LivePhase.Facts(
                fixtureStatus: try row.optionalString("fixture_status"), hasVanished: try row.bool("has_vanished"),
                displayState: try row.optionalString("display_state"), isAtStumps: try row.bool("at_stumps"),
                isSettled: try row.bool("is_settled"), isEnded: try row.bool("is_ended")))
        let isExpired = try row.bool("is_expired")
        return UserInspection.Follow(
            matchId: match, title: try row.optionalString("title"), phase: phase, hold: hold,
            alerts: try row.string("alerts"), teamId: try row.optionalInt("team_id"),
            createdAt: try row.int("created_at"), expiresAt: try row.optionalInt("expires_at"),
            phones: devices.map { device in
                let found = current.first { $0.activity.deviceId == device.deviceId }
                let phone = ActivityCase(
                    phase: phase, follow: isExpired ? .expired : .current, isEnabled: device.isEnabled,
                    hasStartToken: device.startToken != nil, record: found?.record ?? .none, cap: device.cap,
                    isHeld: hold == .pushes)
                return .init(
                    deviceId: device.deviceId, shouldExist: phone.shouldExist, exists: found?.activity.status,
                    generation: found?.activity.generation, finding: phone.finding)
            })
    }
}
