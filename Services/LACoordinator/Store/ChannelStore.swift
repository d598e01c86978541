import APNsProtocol
package import Activities
package import FanOut
import FoundationEssentials
package import Postgres
package import SightscreenModels
import Store

/// Reads and writes the broadcast channels of a coordinator's shards. A write that only the shard's holder may make
/// checks the lease's epoch in the same statement.
package struct ChannelStore: Sendable {
    /// How long a call to APNs may take. Until then no other process makes the same call.
    package static let callLease = Duration.seconds(30)
    /// Minutes from the first `end` to each one: a phone that is off for a while, or misses a publish, gets a later
    /// one, up to iOS's own limit of eight hours.
    package static let endMinutes: [Double] = [0, 1, 5, 15, 30] + (1...8).map { Double($0) * 60 }

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// A condition on a row `c` of `broadcast_channels`: its shard is held under the leases `$1` (shards) and `$2`
    /// (epochs).
    private static let isHeld = """
        EXISTS (
            SELECT FROM unnest($1::int[], $2::bigint[]) AS held (shard, epoch)
            JOIN leases AS l ON l.name = 'shard:' || held.shard AND l.epoch = held.epoch
                AND l.expires_at > clock_timestamp()
            WHERE held.shard = c.shard)
        """

    private static func proof(_ leases: [ShardLease]) -> [PostgresValue] {
        [.intArray(leases.map(\.shard)), .intArray(leases.map(\.epoch))]
    }

    /// A condition that selects the row `c` of a channel, with the parameters from `first` on.
    private static func isChannel(_ first: Int) -> String {
        """
        c.match_id = $\(first) AND c.environment = $\(first + 1) AND c.class = $\(first + 2)
            AND c.generation = $\(first + 3)
        """
    }

    private static func name(_ key: ChannelKey) -> [PostgresValue] {
        [
            .int(key.match.rawValue), .text(key.environment.rawValue), .int(key.audience.rawValue),
            .int(key.generation),
        ]
    }

    private static let keyColumns = "c.match_id, c.environment, c.class, c.generation, c.shard, c.channel_id"

    private static func key(_ row: PostgresRow) throws -> ChannelKey? {
        // A class that a newer release has made is left to that release.
        guard let audience = AudienceClass(rawValue: try row.int("class")) else { return nil }
        return ChannelKey(
            match: MatchID(try row.int64("match_id")), environment: try row.environment(), audience: audience,
            generation: try row.int("generation"))
    }

    /// Reads the open channels of some shards.
    package func open(shards: [Int]) async throws -> [ChannelEntry] {
        try await pool.query(
            """
            SELECT \(Self.keyColumns), \(ChannelSQL.perMinute("c")) AS per_minute,
                coalesce(extract(epoch FROM c.rests_until), 0)::double precision AS rests_until
            FROM broadcast_channels AS c
            WHERE c.shard = ANY ($1::int[]) AND c.deleted_at IS NULL AND \(ChannelSQL.isOpen("c"))
            """, [.intArray(shards)]
        ).compactMap { row in
            guard let key = try Self.key(row) else { return nil }
            return ChannelEntry(
                key: key, id: ChannelID(try row.string("channel_id")), shard: try row.int("shard"),
                perMinute: try row.int("per_minute"), restsUntil: try row.double("rests_until"))
        }
    }

    /// Counts the activities that listen to each of some channels, but for those that are being renewed: an index has
    /// the others.
    package func listeners(of channels: [ChannelID]) async throws -> [ChannelID: Int] {
        let rows = try await pool.query(
            """
            SELECT channel_id, count(*) AS listeners FROM live_activities
            WHERE status = 'active' AND channel_id = ANY ($1::text[]) AND renewal_due_at IS NULL GROUP BY 1
            """, [.textArray(channels.map(\.rawValue))], deadline: .seconds(30))
        return Dictionary(try rows.map { (ChannelID(try $0.string("channel_id")), try $0.int("listeners")) }) { $1 }
    }

    // MARK: - Creation

    /// A channel about which APNs is to be called.
    package struct Call: Sendable, Hashable {
        package var key: ChannelKey
        package var shard: Int
        /// Nil before the channel is made.
        package var id: ChannelID?
    }

    /// Claims the channels that are to be made. The answer to an earlier call may have been lost; that channel is an
    /// orphan, which the sweep finds.
    package func claimCreations(_ leases: [ShardLease], limit: Int) async throws -> [Call] {
        try await calls(
            """
            c.channel_id IS NULL AND \(ChannelSQL.isCurrent("c"))
                -- The match may have ended since the channel was asked for.
                AND (SELECT \(ChannelSQL.hasActivities) FROM (VALUES (c.match_id)) AS m (match_id)
                    LEFT JOIN active_matches AS a USING (match_id) LEFT JOIN fixtures AS f USING (match_id))
                AND NOT EXISTS (
                    SELECT FROM broadcast_stops AS s
                    WHERE s.environment = c.environment AND s.since > clock_timestamp() - interval '1 hour')
            """, leases, limit)
    }

    /// Claims the channels that are to be deleted: their last `end` was published.
    package func claimDeletions(_ leases: [ShardLease], limit: Int) async throws -> [Call] {
        try await calls(
            """
            c.channel_id IS NOT NULL AND c.deleted_at IS NULL AND c.lost_at IS NULL
                AND c.ends >= \(Self.endMinutes.count)
            """, leases, limit)
    }

    private func calls(_ condition: String, _ leases: [ShardLease], _ limit: Int) async throws -> [Call] {
        try await pool.query(
            """
            UPDATE broadcast_channels AS c SET call_until = clock_timestamp() + make_interval(secs => $4)
            FROM (
                SELECT c.ctid AS place FROM broadcast_channels AS c
                WHERE \(condition) AND (c.call_until IS NULL OR c.call_until <= clock_timestamp()) AND \(Self.isHeld)
                LIMIT $3 FOR UPDATE SKIP LOCKED
            ) AS due
            WHERE c.ctid = due.place
            RETURNING \(Self.keyColumns)
            """, Self.proof(leases) + [.int(limit), .double(Self.callLease / .seconds(1))]
        ).compactMap { row in
            guard let key = try Self.key(row) else { return nil }
            return Call(
                key: key, shard: try row.int("shard"),
                id: try row.optionalString("channel_id").map { ChannelID($0) })
        }
    }

    /// Records the id of a channel that APNs has made.
    /// - Returns: false when another one was recorded meanwhile, or none is wanted any more; then this one is deleted.
    package func opened(_ key: ChannelKey, _ id: ChannelID, _ leases: [ShardLease]) async throws -> Bool {
        try await pool.execute(
            """
            UPDATE broadcast_channels AS c
            SET channel_id = $7, opened_at = clock_timestamp(), call_until = NULL
            WHERE \(Self.isChannel(3)) AND c.channel_id IS NULL AND \(ChannelSQL.isCurrent("c")) AND \(Self.isHeld)
            """, Self.proof(leases) + Self.name(key) + [.text(id.rawValue)]) > 0
    }

    /// Has the call made again after a wait.
    package func delay(_ key: ChannelKey, by wait: Duration) async throws {
        try await pool.execute(
            """
            UPDATE broadcast_channels AS c SET call_until = clock_timestamp() + make_interval(secs => $5)
            WHERE \(Self.isChannel(1))
            """, Self.name(key) + [.double(wait / .seconds(1))])
    }

    package func deleted(_ key: ChannelKey) async throws {
        try await pool.execute(
            "UPDATE broadcast_channels AS c SET deleted_at = clock_timestamp() WHERE \(Self.isChannel(1))",
            Self.name(key))
    }

    // MARK: - What APNs says

    /// Records what a 429 has taught.
    package func throttled(_ key: ChannelKey, perMinute: Int, restsUntil: Double) async throws {
        try await pool.execute(
            """
            UPDATE broadcast_channels AS c SET per_minute = $5, rests_until = to_timestamp($6)
            WHERE \(Self.isChannel(1))
            """, Self.name(key) + [.int(perMinute), .double(restsUntil)])
    }

    /// Records that a channel does not exist. Its activities are moved: each gets a new one, as fast as starts may be
    /// sent.
    package func lost(_ key: ChannelKey, reason: String) async throws {
        try await pool.execute(
            """
            UPDATE broadcast_channels AS c SET lost_at = clock_timestamp(), lost_reason = $5
            WHERE \(Self.isChannel(1)) AND c.lost_at IS NULL
            """, Self.name(key) + [.text(reason)])
    }

    /// Records that no channel can be created in an environment now.
    /// - Parameter isOff: broadcasts are switched off: APNs has deleted every channel, and all are lost.
    package func stopped(_ environment: APNsEnvironment, reason: String, isOff: Bool) async throws {
        try await pool.execute(
            """
            WITH stopped AS (
                INSERT INTO broadcast_stops (environment, since, reason) VALUES ($1, clock_timestamp(), $2)
                ON CONFLICT (environment) DO UPDATE SET since = excluded.since, reason = excluded.reason
            )
            UPDATE broadcast_channels AS c SET lost_at = clock_timestamp(), lost_reason = $2
            WHERE c.environment = $1 AND c.lost_at IS NULL AND c.deleted_at IS NULL AND ($3 OR c.channel_id IS NULL)
            """, [.text(environment.rawValue), .text(reason), .bool(isOff)])
    }

    /// Marks some activities of channels that do not exist as due for renewal, so that each gets a card that can be
    /// reached.
    /// - Returns: how many were marked.
    package func moveActivities(_ leases: [ShardLease], limit: Int) async throws -> Int {
        try await pool.execute(
            """
            UPDATE live_activities AS la SET renewal_due_at = clock_timestamp()
            FROM (
                SELECT moved.ctid AS place FROM broadcast_channels AS c
                CROSS JOIN LATERAL (
                    SELECT a.ctid FROM live_activities AS a
                    WHERE a.channel_id = c.channel_id AND a.status = 'active' AND a.renewal_due_at IS NULL
                    LIMIT $3 FOR UPDATE SKIP LOCKED
                ) AS moved
                WHERE c.lost_at IS NOT NULL AND c.deleted_at IS NULL AND c.channel_id IS NOT NULL AND \(Self.isHeld)
                LIMIT $3
            ) AS due
            WHERE la.ctid = due.place
            """, Self.proof(leases) + [.int(limit)])
    }

    // MARK: - Ends

    /// An `end` that is due on a channel.
    package struct End: Sendable, Hashable {
        package var key: ChannelKey
        package var shard: Int
        package var id: ChannelID
        /// When the card leaves the Lock Screen, in seconds since 1970; the same in every `end` of the channel.
        package var dismissAt: Int
        /// The match's final state, and the newest stamp that any of its states has had.
        package var contentState: ContentState?
        package var stamp: Stamp
        /// The database's clock, in seconds since 1970.
        package var now: Int
    }

    /// Claims the ends that are due: the first as soon as the match has no activities any more, the others by
    /// `endMinutes`. Those of matches under a hold stay due.
    package func claimEnds(_ leases: [ShardLease], dismissAfter: Int) async throws -> [End] {
        try await pool.query(
            """
            WITH due AS (
                SELECT c.ctid AS place FROM broadcast_channels AS c
                LEFT JOIN active_matches AS a ON a.match_id = c.match_id
                LEFT JOIN fixtures AS f ON f.match_id = c.match_id
                WHERE c.channel_id IS NOT NULL AND c.lost_at IS NULL AND c.deleted_at IS NULL
                    AND c.ends < \(Self.endMinutes.count)
                    AND CASE WHEN c.ended_at IS NOT NULL THEN c.end_due_at <= clock_timestamp()
                        ELSE \(ChannelSQL.hasActivities) IS NOT TRUE
                            -- At stumps the orchestrator ends the cards once the alert had time to be heard.
                            AND (a.at_stumps IS NOT TRUE OR a.ended_at IS NOT NULL OR NOT EXISTS (
                                SELECT 1 FROM live_activities AS l
                                WHERE l.match_id = c.match_id AND l.status <> 'ended')) END
                    AND \(ActivityStore.isNotHeld("c.match_id")) AND \(Self.isHeld)
                FOR UPDATE OF c SKIP LOCKED
            ), claimed AS (
                UPDATE broadcast_channels AS c SET ended_at = coalesce(c.ended_at, clock_timestamp()),
                    dismiss_at = coalesce(c.dismiss_at, clock_timestamp() + make_interval(secs => $3)),
                    -- Another try, unless the answer comes before.
                    end_due_at = clock_timestamp() + make_interval(secs => $4)
                FROM due WHERE c.ctid = due.place
                RETURNING c.*
            )
            SELECT \(Self.keyColumns), floor(extract(epoch FROM c.dismiss_at))::bigint AS dismiss_at,
                coalesce(m.content_state, u.content_state) AS content_state, coalesce(m.stamp, u.stamp, 0) AS stamp,
                floor(extract(epoch FROM clock_timestamp()))::bigint AS now
            FROM claimed AS c
            LEFT JOIN active_matches AS m ON m.match_id = c.match_id
            LEFT JOIN LATERAL (
                SELECT content_state, stamp FROM match_updates WHERE match_id = c.match_id
                ORDER BY version DESC LIMIT 1) AS u ON m.content_state IS NULL
            """,
            Self.proof(leases) + [.double(Double(dismissAfter)), .double(Self.callLease / .seconds(1))]
        ).compactMap { row in
            guard let key = try Self.key(row) else { return nil }
            return End(
                key: key, shard: try row.int("shard"), id: ChannelID(try row.string("channel_id")),
                dismissAt: try row.int("dismiss_at"),
                contentState: try row.optionalString("content_state").flatMap {
                    try? ActivityStore.decode(ContentState.self, $0)
                }, stamp: Stamp(try row.int("stamp")), now: try row.int("now"))
        }
    }

    /// Records an `end` that APNs has accepted.
    package func ended(_ key: ChannelKey) async throws {
        try await pool.execute(
            """
            UPDATE broadcast_channels AS c SET ends = c.ends + 1,
                end_due_at = c.ended_at + ($5::double precision[])[c.ends + 2] * interval '1 minute'
            WHERE \(Self.isChannel(1))
            """, Self.name(key) + [.doubleArray(Self.endMinutes)])
    }

    /// Has an `end` published again after a wait.
    package func delayEnd(_ key: ChannelKey, by wait: Duration) async throws {
        try await pool.execute(
            """
            UPDATE broadcast_channels AS c SET end_due_at = clock_timestamp() + make_interval(secs => $5)
            WHERE \(Self.isChannel(1))
            """, Self.name(key) + [.double(wait / .seconds(1))])
    }

    // MARK: - The sweep

    /// The time for which a channel must have been unknown before it is reported: its row may be about to be written.
    package static let unknownFor = Duration.seconds(600)

    /// Compares the channels that APNs lists with the table.
    /// - Returns: those that no row has named for ten minutes.
    package func unknown(_ listed: [ChannelID], in environment: APNsEnvironment) async throws -> [ChannelID] {
        try await pool.query(
            """
            WITH listed AS (
                SELECT id FROM unnest($2::text[]) AS one (id)
                WHERE NOT EXISTS (
                    SELECT FROM broadcast_channels AS c
                    WHERE c.channel_id = one.id AND c.environment = $1 AND c.deleted_at IS NULL)
            ), forgotten AS (
                DELETE FROM unknown_channels WHERE environment = $1 AND channel_id NOT IN (SELECT id FROM listed)
            ), seen AS (
                INSERT INTO unknown_channels (environment, channel_id) SELECT $1, id FROM listed
                ON CONFLICT DO NOTHING
            )
            SELECT channel_id FROM unknown_channels
            WHERE environment = $1 AND channel_id IN (SELECT id FROM listed)
                AND seen_at <= clock_timestamp() - make_interval(secs => $3)
            ORDER BY channel_id
            """,
            [
                .text(environment.rawValue), .textArray(listed.map(\.rawValue)),
                .double(Self.unknownFor / .seconds(1)),
            ]
        ).map { ChannelID(try $0.string("channel_id")) }
    }

    // MARK: - What is missing

    /// The channels of an environment, as an operator asks about them.
    package struct Standing: Sendable, Hashable {
        package var environment: APNsEnvironment
        /// Classes of these shards' matches for which a channel was asked for a minute ago or more, and none is open.
        package var missing: Int
        /// No channel is asked for: broadcasts were switched off within the last hour, or APNs had no room.
        package var isOff: Bool
        package var isFull: Bool
    }

    package func standing(shards: [Int]) async throws -> [Standing] {
        try await pool.query(
            """
            SELECT e.environment, coalesce(s.reason <> $2, false) AS is_off, coalesce(s.reason = $2, false) AS is_full, (
                SELECT count(DISTINCT (c.match_id, c.class)) FROM broadcast_channels AS c
                LEFT JOIN active_matches AS a ON a.match_id = c.match_id
                LEFT JOIN fixtures AS f ON f.match_id = c.match_id
                WHERE c.shard = ANY ($1::int[]) AND c.environment = e.environment AND c.deleted_at IS NULL
                    AND c.ended_at IS NULL AND c.created_at < clock_timestamp() - interval '1 minute'
                    AND \(ChannelSQL.hasActivities)
                    AND NOT EXISTS (
                        SELECT FROM broadcast_channels AS o
                        WHERE o.match_id = c.match_id AND o.environment = c.environment AND o.class = c.class
                            AND \(ChannelSQL.isOpen("o")))
            ) AS missing
            FROM (VALUES ('production'), ('sandbox')) AS e (environment)
            LEFT JOIN broadcast_stops AS s
                ON s.environment = e.environment AND s.since > clock_timestamp() - interval '1 hour'
            """, [.intArray(shards), .text(APNsReason.cannotCreateChannelConfig.rawValue)]
        ).map { row in
            Standing(
                environment: try row.environment(), missing: try row.int("missing"), isOff: try row.bool("is_off"),
                isFull: try row.bool("is_full"))
        }
    }
}
