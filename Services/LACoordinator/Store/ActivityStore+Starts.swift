import Activities
import Postgres
import SightscreenModels
import Store
import Tokens

extension ActivityStore {
    /// The columns that record a start: those of the activity itself while it is pending, those of its renewal while it
    /// runs.
    private struct StartColumns {
        var id = "start_id"
        var attempts = "start_attempts"
        var sentAt = "start_sent_at"
        var leaseUntil = "start_lease_until"
        var waitsSince = "created_at"
        var channel = "channel_id"
        var status = "pending"
        var condition = "la.start_given_up_at IS NULL"
        /// Which of those that are due wait all the same.
        var waits = "false"
        /// The parts of indexes that a claim walks in each shard, each in the order of the index, so that it reads
        /// nothing else: a million starts are due together when a match begins, and again when their leases expire.
        var parts = [
            "la.start_lease_until IS NULL ORDER BY la.start_lease_until NULLS FIRST, la.created_at",
            "la.start_lease_until <= statement_timestamp() ORDER BY la.start_lease_until NULLS FIRST, la.created_at",
        ]
        /// A condition on rows `p` of those that are due and `d` of their phones: the start may have been sent in the
        /// time that the database lost when it went back.
        var mayBeOut = LostTimeSQL.mayHaveCard(of: "p.match_id")
        /// Further assignments of the claim's UPDATE.
        var also = ""

        static let pending = StartColumns()
        static let renewal = StartColumns(
            id: "renewal_start_id", attempts: "renewal_attempts", sentAt: "renewal_sent_at",
            leaseUntil: "renewal_lease_until", waitsSince: "renewal_due_at", channel: "renewal_channel_id",
            status: "active",
            // An activity past iOS's limit is not renewed: it ends, and a new one is started.
            condition: """
                la.renewal_due_at <= clock_timestamp() AND \(ActivityAge.began("la")) > clock_timestamp()
                    - \(StartFallbackSQL.seconds(RenewalRule.activityLife))
                """,
            // A channel that rests may owe alerts. A card that moves from or to it would hear them twice, or never. A
            // minute later none is news.
            waits: """
                (la.renewal_due_at > clock_timestamp() - interval '1 minute'
                    AND la.match_id IN (SELECT r.match_id FROM resting r))
                """,
            parts: ["true ORDER BY la.renewal_due_at"],
            mayBeOut: """
                (\(LostTimeSQL.mayHaveCard(of: "p.match_id")) AND (p.waits_since < \(LostTimeSQL.end)
                    OR p.began < \(LostTimeSQL.end) - \(LostTimeSQL.renewalAge)))
                """,
            also: """
                , renewal_due_at = clock_timestamp()
                    + ($4::double precision[])[la.renewal_attempts + 1] * interval '1 second'
                """)

        /// The condition that a row `la` waits for a start and no start of it is under a lease.
        var isFree: String {
            """
            la.status = '\(status)' AND \(condition) AND la.\(attempts) < \(StartPolicy.triesMax)
                AND (la.\(leaseUntil) IS NULL OR la.\(leaseUntil) <= clock_timestamp())
            """
        }
    }

    /// Claims pending activities of our shards whose start lease is free, and leases each for one push-to-start: no
    /// process sends another until the lease is over, even if this one dies. Activities of matches under a hold are not
    /// claimed, so that the hold costs neither a try nor a lease.
    /// - Parameters:
    ///   - lease: the lease of a generation's first try; `StartPolicy` says how later ones grow.
    ///   - isThorough: looks at all waiting activities, not only at those in front. Those in front may all belong to
    ///     phones that can get nothing more today; looking at all takes seconds when a million wait.
    package func claimStarts(
        _ leases: [ShardLease], limit: Int, lease: Duration, isThorough: Bool = false
    ) async throws -> [StartClaim] {
        try await claim(.pending, leases, limit: limit, lease: lease, isThorough: isThorough)
    }
    /// Claims starts like `claimStarts`, for running activities that are replaced before iOS ends them.
    package func claimRenewals(_ leases: [ShardLease], limit: Int, lease: Duration) async throws -> [StartClaim] {
        try await claim(.renewal, leases, limit: limit, lease: lease)
    }

    private func claim(
        _ columns: StartColumns, _ leases: [ShardLease], limit: Int, lease: Duration, isThorough: Bool = false
    ) async throws -> [StartClaim] {
        let count = min(limit, Self.claimMax)
        let looks = isThorough ? Int(Int32.max) : max(16, 4 * count / max(1, leases.count))
        let candidates = columns.parts.map { part in
            """
            (SELECT la.ctid AS place, la.match_id, la.user_id, la.device_id, la.\(columns.waitsSince) AS waits_since,
                \(ActivityAge.began("la")) AS began
            FROM live_activities la
            WHERE la.shard = held.shard AND \(columns.isFree) AND NOT \(columns.waits) AND la.match_id IN (SELECT p.match_id FROM playing p)
                AND \(part) LIMIT $5::bigint)
            """
        }.joined(separator: " UNION ALL ")
        let rows = try await pool.query(
            """
            WITH playing AS MATERIALIZED (
                SELECT m.match_id FROM active_matches m
                WHERE m.content_state IS NOT NULL AND m.ended_at IS NULL AND m.settled_at IS NULL
                    AND NOT m.at_stumps AND m.display_state NOT IN ('completed', 'abandoned')
                    AND \(Self.isNotHeld("m.match_id"))
            ), resting AS MATERIALIZED (
                SELECT c.match_id FROM broadcast_channels c
                WHERE \(ChannelSQL.isCurrent("c")) AND c.rests_until > clock_timestamp()
            ), due AS (
                SELECT free.*, w.waits_since, w.this_hour, w.this_day, w.user_day
                FROM (
                    -- What a phone and a user may still get is counted for those in front only, until there are
                    -- enough: when a match begins, hundreds of thousands wait.
                    SELECT p.*, sent.* FROM (
                        SELECT r.* FROM unnest($1::int[], $2::bigint[]) AS held (shard, epoch)
                        JOIN leases l ON l.name = 'shard:' || held.shard AND l.epoch = held.epoch
                            AND l.expires_at > clock_timestamp()
                        CROSS JOIN LATERAL (\(candidates)) r
                        ORDER BY r.waits_since, r.match_id OFFSET 0
                    ) p
                    CROSS JOIN LATERAL (
                        SELECT FROM devices d
                        WHERE d.user_id = p.user_id AND d.device_id = p.device_id
                            AND d.push_to_start_token IS NOT NULL AND d.live_activities_enabled
                            AND NOT (d.broadcast AND p.waits_since > clock_timestamp() - interval '5 seconds'
                                AND \(Self.channelIsComing))
                            AND NOT \(columns.mayBeOut)
                        OFFSET 0) phone
                    CROSS JOIN LATERAL (
                        SELECT \(StartBudget.thisHour("other.device_id = p.device_id")) AS this_hour,
                            coalesce(sum(other.starts_sent) FILTER (WHERE other.device_id = p.device_id), 0)
                                AS this_day,
                            coalesce(sum(other.starts_sent), 0) AS user_day
                        FROM live_activities other
                        WHERE other.user_id = p.user_id AND \(StartBudget.isOfToday)) sent
                    WHERE sent.this_hour < \(StartPolicy.perDeviceHourMax)
                        AND sent.this_day < \(StartPolicy.perDeviceDayMax)
                        AND sent.user_day < \(StartPolicy.perUserDayMax)
                    ORDER BY p.waits_since, p.match_id LIMIT $3
                ) w
                -- By place, whatever the statistics say: when a match begins they know of no waiting activity, and any
                -- other way to its row would be thought to be one over the few that wait.
                CROSS JOIN LATERAL (
                    SELECT la.ctid AS place, la.match_id, la.user_id, la.device_id
                    FROM live_activities la WHERE la.ctid = w.place AND \(columns.isFree)
                    FOR UPDATE SKIP LOCKED
                ) free
            ), granted AS (
                -- A phone whose matches begin together: those of this very statement count, too.
                SELECT due.*, row_number() OVER phone AS phone_place, row_number() OVER (
                    PARTITION BY user_id ORDER BY waits_since, match_id, device_id) AS user_place
                FROM due
                WINDOW phone AS (PARTITION BY user_id, device_id ORDER BY waits_since, match_id)
            ), claimed AS (
                UPDATE live_activities la SET
                    \(columns.id) = gen_random_uuid()::text, \(columns.attempts) = la.\(columns.attempts) + 1,
                    starts_sent = la.starts_sent + 1, \(columns.sentAt) = clock_timestamp(),
                    \(columns.leaseUntil) = clock_timestamp()
                        + ($4::double precision[])[la.\(columns.attempts) + 1] * interval '1 second',
                    \(columns.channel) = \(Self.channel)
                    \(columns.also)
                FROM granted g
                WHERE g.this_hour + g.phone_place <= \(StartPolicy.perDeviceHourMax)
                    AND g.this_day + g.phone_place <= \(StartPolicy.perDeviceDayMax)
                    AND g.user_day + g.user_place <= \(StartPolicy.perUserDayMax)
                    -- Locked above: it has not moved.
                    AND la.ctid = g.place
                RETURNING la.*
            )
            SELECT c.match_id, c.user_id, c.device_id, c.generation, c.route, c.\(columns.id) AS claimed_id,
                c.\(columns.channel) AS channel,
                c.\(columns.attempts) AS attempts,
                floor(extract(epoch FROM c.\(columns.leaseUntil)))::bigint AS lease_until,
                d.environment, d.push_to_start_token,
                d.start_token_proven_at IS NOT NULL AND d.proven_bundle IS NOT DISTINCT FROM $6 AS is_proven,
                w.team_id AS followed_team_id,
                \(Self.cardColumns)
            FROM claimed c
            JOIN devices d ON d.user_id = c.user_id AND d.device_id = c.device_id
            LEFT JOIN match_follows w ON w.user_id = c.user_id AND w.match_id = c.match_id
            LEFT JOIN fixtures f ON f.match_id = c.match_id
            """,
            [
                .intArray(leases.map(\.shard)), .intArray(leases.map(\.epoch)), .int(count),
                .doubleArray(StartPolicy(firstLease: lease).leases.map { $0 / .seconds(1) }), .int(looks),
                .text(bundleID),
            ])
        return try rows.compactMap { row in
            guard let token = try vault.read(try row.string("push_to_start_token"), as: .start) else { return nil }
            return StartClaim(
                key: try key(row), route: DeviceRoute(hash: try row.int64("route")),
                environment: try row.environment(),
                token: PushToStartToken(token),
                isProven: try row.bool("is_proven"),
                startID: StartID(try row.string("claimed_id")), leaseUntil: try row.int("lease_until"),
                attempt: try row.int("attempts"), isRenewal: columns.status == "active",
                channel: try row.optionalString("channel").map { ChannelID($0) },
                followedTeamID: try row.optionalInt64("followed_team_id").map { String($0) },
                match: try Self.card(row))
        }
    }

    /// The channel for an activity of a row `la`, from the phone's abilities and the follow's class; null if there is
    /// none.
    private static let channel = """
        (SELECT c.channel_id FROM devices AS d
        JOIN match_follows AS w ON w.user_id = d.user_id AND w.match_id = la.match_id
        JOIN broadcast_channels AS c ON \(ChannelSQL.isFor(match: "la.match_id", device: "d", follow: "w"))
            AND \(ChannelSQL.isOpen("c"))
        WHERE d.user_id = la.user_id AND d.device_id = la.device_id)
        """

    /// A condition on rows `p` of waiting activities and `d` of their phones: their channel is being made.
    private static let channelIsComing = """
        EXISTS (
            SELECT FROM match_follows AS w
            JOIN broadcast_channels AS c ON \(ChannelSQL.isFor(match: "p.match_id", device: "d", follow: "w"))
            WHERE w.user_id = p.user_id AND w.match_id = p.match_id AND c.channel_id IS NULL
                AND \(ChannelSQL.isCurrent("c")))
        """

    /// Records that APNs has accepted starts on channels, which resolves them: such an activity has no token to wait
    /// for. A renewal's activity takes the place of the running one, which ends.
    package func startedOnChannel(_ claims: [StartClaim]) async throws {
        for (isRenewal, statement) in [(false, Self.startedOnChannel), (true, Self.renewedOnChannel)] {
            let starts = claims.filter { $0.isRenewal == isRenewal }
            guard !starts.isEmpty else { continue }
            try await pool.execute(
                statement,
                [
                    .intArray(starts.map(\.key.matchID.rawValue)), .textArray(starts.map(\.key.userID.rawValue)),
                    .textArray(starts.map(\.key.deviceID.rawValue)), .intArray(starts.map(\.key.generation)),
                    .textArray(starts.map(\.startID.rawValue)),
                ])
        }
    }

    /// The rows `started` of these starts, while a condition on them (`la`) holds. Every statement locks them in the same
    /// order, so that two of them never deadlock.
    private static func started(where condition: String) -> String {
        """
        started AS MATERIALIZED (
            SELECT la.match_id, la.user_id, la.device_id, la.generation
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::int[], $5::text[])
                AS s (match_id, user_id, device_id, generation, start_id)
            JOIN live_activities AS la USING (match_id, user_id, device_id, generation)
            WHERE \(condition)
            ORDER BY la.user_id, la.device_id, la.match_id, la.generation
            FOR UPDATE OF la
        )
        """
    }

    /// A condition on a row `la`: it is one of `started`, `s`.
    private static let isStarted = """
        la.match_id = s.match_id AND la.user_id = s.user_id AND la.device_id = s.device_id
            AND la.generation = s.generation
        """

    /// The follow's alert level may have changed while the start was out: then the activity is moved at once.
    private static let startedOnChannel = """
        WITH \(started(where: "la.start_id = s.start_id AND la.status = 'pending' AND la.channel_id IS NOT NULL"))
        UPDATE live_activities AS la SET status = 'active', activated_at = clock_timestamp(),
            renewal_due_at = CASE WHEN la.channel_id = \(channel) THEN NULL ELSE clock_timestamp() END
        FROM started AS s WHERE \(isStarted)
        """

    private static let renewedOnChannel = """
        WITH \(started(
            where: "la.renewal_start_id = s.start_id AND la.status = 'active' AND la.renewal_channel_id IS NOT NULL")),
        former AS (
            UPDATE live_activities AS la SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                end_push = CASE WHEN la.update_token IS NULL THEN 'none' ELSE 'due' END, end_dismissal = 'now'
            FROM started AS s WHERE \(isStarted)
            RETURNING la.*
        )
        INSERT INTO live_activities
            (match_id, user_id, device_id, generation, route, shard, status, start_id, start_attempts, starts_sent,
             start_sent_at, channel_id, activated_at, renewal_due_at)
        SELECT match_id, user_id, device_id,
            -- A token that was to end at once may have a later generation.
            (SELECT max(n.generation) + 1 FROM live_activities AS n
            WHERE n.match_id = la.match_id AND n.user_id = la.user_id AND n.device_id = la.device_id),
            route, shard, 'active', renewal_start_id, 1, 0,
            renewal_sent_at, renewal_channel_id, clock_timestamp(),
            CASE WHEN la.renewal_channel_id = \(channel) THEN NULL ELSE clock_timestamp() END
        FROM former AS la
        """

    /// Releases a start that was certainly not processed: the try does not count, and another may be sent after
    /// `delay`.
    package func releaseStart(_ claim: StartClaim, after delay: Duration) async throws {
        let columns = claim.isRenewal ? StartColumns.renewal : .pending
        try await pool.execute(
            """
            UPDATE live_activities SET
                \(columns.attempts) = greatest(\(columns.attempts) - 1, 0), starts_sent = greatest(starts_sent - 1, 0),
                \(columns.leaseUntil) = clock_timestamp() + $6::double precision * interval '1 second'
                \(claim.isRenewal ? Self.renewalIsDueAgain : Self.noneIsOut)
            WHERE match_id = $1 AND user_id = $2 AND device_id = $3 AND generation = $4 AND \(columns.id) = $5
                AND status = '\(columns.status)'
            """, startKey(claim) + [.double(delay / .seconds(1))])
    }

    /// The time of the last start is forgotten, unless an earlier start may have arrived.
    private static let noneIsOut = ", start_sent_at = CASE WHEN starts_sent > 1 THEN start_sent_at END"

    private static let renewalIsDueAgain = """
        , renewal_due_at = clock_timestamp() + $6::double precision * interval '1 second',
        renewal_start_id = CASE WHEN renewal_attempts > 1 THEN renewal_start_id END
        """

    /// Retires a push-to-start token that APNs calls dead: the next start waits until the app registers another token.
    /// When APNs' word is about an earlier life of the token, the token stays and the next try waits, because it would
    /// get the same answer for a while.
    /// - Parameter sinceMs: APNs' own time of the answer, milliseconds since 1970.
    package func retireStartToken(_ claim: StartClaim, sinceMs: Int64?) async throws {
        let token = try startToken(of: claim)
        try await pool.execute(
            """
            \(Self.retireStartToken) AND \(DeadTokenSQL.isAbout(registered: "push_to_start_token_at", since: "$4"))
            """, token + [PostgresValue(sinceMs)])
        let stays = try await pool.query(
            """
            SELECT FROM devices WHERE user_id = $1 AND device_id = $2 AND \(TokenSQL.has("push_to_start_token", "$3"))
            """, token)
        try await releaseStart(claim, after: stays.isEmpty ? .zero : DeadTokenRule.disbeliefWait)
    }

    /// Retires a push-to-start token that the detector rejected, whenever it was registered, and counts it against the
    /// user's account.
    /// - Returns: whether the phone still had this token.
    package func retireBadStartToken(_ claim: StartClaim) async throws -> Bool {
        let retired = try await pool.query(
            BadTokenSQL.counting("\(Self.retireStartToken) RETURNING user_id"), startToken(of: claim))
        try await releaseStart(claim, after: .zero)
        return !retired.isEmpty
    }

    private static let retireStartToken = """
        UPDATE devices SET push_to_start_token = NULL, start_token_proven_at = NULL,
            dead_start_token_hash = \(StartFallbackSQL.hash("token_key(push_to_start_token)"))
        WHERE user_id = $1 AND device_id = $2 AND \(TokenSQL.has("push_to_start_token", "$3"))
        """

    private func startToken(of claim: StartClaim) throws -> [PostgresValue] {
        [
            .text(claim.key.userID.rawValue), .text(claim.key.deviceID.rawValue),
            try vault.parameter(claim.token.rawValue),
        ]
    }

    /// Gives up a start that APNs refused for good: nothing more is sent until the app registers again. A renewal is
    /// not tried again; its running activity ends in its time.
    package func giveUpStart(_ claim: StartClaim) async throws {
        let columns = claim.isRenewal ? StartColumns.renewal : .pending
        let change =
            claim.isRenewal ? "renewal_attempts = \(StartPolicy.triesMax)" : "start_given_up_at = clock_timestamp()"
        try await pool.execute(
            """
            UPDATE live_activities SET \(change)
            WHERE match_id = $1 AND user_id = $2 AND device_id = $3 AND generation = $4 AND \(columns.id) = $5
                AND status = '\(columns.status)'
            """, startKey(claim))
    }

    private func startKey(_ claim: StartClaim) -> [PostgresValue] {
        [
            .int(claim.key.matchID.rawValue), .text(claim.key.userID.rawValue), .text(claim.key.deviceID.rawValue),
            .int(claim.key.generation), .text(claim.startID.rawValue),
        ]
    }
}
