package import FanOut
package import Activities
import FoundationEssentials
package import Messages
package import Postgres
package import SightscreenModels
package import Store
import Tokens

/// Reads and writes a coordinator's tables: activities of its shards, claims, outcomes and progress.
///
/// A write that only the shard's holder may make checks the shard's lease and epoch in the same statement.
package struct ActivityStore: Sendable {
    /// Rows that one statement claims at most: as many as a pass can send before the next one.
    package static let claimMax = 1_000
    /// Rows of `live_activities` that one statement reads at most.
    package static let pageMax = 10_000
    let pool: PostgresPool
    let vault: TokenVault
    let bundleID: String
    let pageRows: Int

    /// - Parameters:
    ///   - bundleID: the bundle id that pushes go out for. What was proven for another one proves nothing.
    ///   - pageRows: rows per page; tests use fewer.
    package init(
        pool: PostgresPool, vault: TokenVault = .inClear, bundleID: String = "",
        pageRows: Int = ActivityStore.pageMax
    ) {
        self.pool = pool
        self.vault = vault
        self.bundleID = bundleID
        self.pageRows = pageRows
    }

    /// Reads the database's clock, in seconds since 1970.
    package func now() async throws -> Double {
        let rows = try await pool.query("SELECT extract(epoch FROM clock_timestamp())::double precision AS now")
        guard let row = rows.first else { throw PostgresError(.decoding, "no row") }
        return try row.double("now")
    }

    /// The condition that no hold stops the pushes of a match. PostgreSQL evaluates the hold for everywhere once per
    /// statement.
    static func isNotHeld(_ match: String) -> String {
        """
        NOT EXISTS (SELECT 1 FROM holds WHERE match_id IS NULL AND level = 'pushes')
            AND \(match) NOT IN (SELECT h.match_id FROM holds h WHERE h.match_id IS NOT NULL AND h.level = 'pushes')
        """
    }

    // MARK: - The roster

    /// Returns the cursor from which `changes` delivers everything that changes from now on.
    package func cursor() async throws -> String {
        let snapshot = try await pool.query("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor")
        guard let cursor = try snapshot.first?.string("cursor") else {
            throw PostgresError(.decoding, "no snapshot")
        }
        return cursor
    }

    /// Reads the rows of some shards that changed since an earlier reading, page by page in the order of their changes.
    /// Pending rows are left out: a match that goes live has a million of them, and nothing is pushed to them. No
    /// change is lost: rows of transactions that were still running at the first page come with the next reading, and a
    /// row that changes again before its page is read comes later, perhaps in the same reading. Some rows come twice.
    /// - Returns: the cursor for the next reading.
    package func changes(
        since cursor: String, shards: [Int], _ take: ([ActivityRecord]) async throws -> Void
    ) async throws -> String {
        var next: String?
        var last: (change: String, key: ActivityKey)?
        repeat {
            let rows = try await pool.query(
                """
                WITH snapshot AS (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor)
                SELECT snapshot.cursor, la.changed_xid::text AS change, \(Self.recordColumns)
                FROM snapshot LEFT JOIN (
                    SELECT * FROM live_activities
                    WHERE changed_xid >= $2::xid8 AND \(Self.isOfThisServer)
                        AND shard = ANY($1::int[]) AND status <> 'pending'
                        AND (changed_xid, user_id, device_id, match_id, generation)
                            > ($2::xid8, $3::text, $4::text, $5::bigint, $6::int)
                    ORDER BY changed_xid, user_id, device_id, match_id, generation LIMIT $7
                ) AS la ON true \(Self.recordJoins)
                ORDER BY la.changed_xid, la.user_id, la.device_id, la.match_id, la.generation
                """,
                [
                    .intArray(shards), .text(last?.change ?? cursor), .text(last?.key.userID.rawValue ?? ""),
                    .text(last?.key.deviceID.rawValue ?? ""), .int(last?.key.matchID.rawValue ?? -1),
                    .int(last?.key.generation ?? -1), .int(pageRows),
                ], deadline: .seconds(30))
            guard let first = rows.first, let end = rows.last else { throw PostgresError(.decoding, "no snapshot") }
            if next == nil { next = try first.string("cursor") }
            // When nothing has changed, the only row holds the cursor and nulls.
            let records = try first.isNull("match_id") ? [] : rows.map { try record($0) }
            last = rows.count == pageRows ? try records.last.map { (try end.string("change"), $0.key) } : nil
            if !records.isEmpty { try await take(records) }
        } while last != nil
        return next ?? cursor
    }

    /// A condition on a row's mark: a transaction of this server made it. That of a restored dump may lie in the future
    /// here, and tells of no change.
    static let isOfThisServer = "changed_xid < pg_snapshot_xmax(pg_current_snapshot())"

    static let recordColumns = """
        la.match_id, la.user_id, la.device_id, la.generation, la.route, la.status, la.update_token,
        \(tokenAt) AS token_at, coalesce(d.environment, 'production') AS environment, coalesce(f.alerts, 'none') AS alerts,
        -- No alert is fresh for longer. Most rows have none, which makes a million of them smaller.
        CASE WHEN f.alerts_at > clock_timestamp() - interval '5 minutes'
            THEN extract(epoch FROM f.alerts_at)::double precision END AS level_at,
        coalesce(d.frequent_pushes_enabled, true) AS takes_frequent
        """

    static let recordJoins = """
        LEFT JOIN devices d ON d.user_id = la.user_id AND d.device_id = la.device_id
        LEFT JOIN match_follows f ON f.user_id = la.user_id AND f.match_id = la.match_id
        """

    func record(_ row: PostgresRow) throws -> ActivityRecord {
        ActivityRecord(
            key: try key(row), route: DeviceRoute(hash: try row.int64("route")),
            environment: try row.environment(),
            status: ActivityRecord.Status(rawValue: try row.string("status")) ?? .ended,
            updateToken: try row.optionalString("update_token").flatMap { try vault.read($0, as: .update) }
                .map { UpdateToken($0) },
            tokenAt: try row.double("token_at"), alerts: AlertLevel(rawValue: try row.string("alerts")) ?? .none,
            levelAt: try row.optionalDouble("level_at"), takesFrequentPushes: try row.bool("takes_frequent"))
    }

    /// The time at which the token of a row `la` was registered, in seconds since 1970.
    private static let tokenAt = "coalesce(extract(epoch FROM la.token_at), 0)::double precision"

    func key(_ row: PostgresRow) throws -> ActivityKey {
        ActivityKey(
            matchID: MatchID(try row.int64("match_id")), userID: UserID(try row.string("user_id")),
            deviceID: DeviceID(try row.string("device_id")), generation: try row.int("generation"))
    }

    // MARK: - Versions and stamps

    /// Reads versions newer than the known ones: the newest of each match, and those with an alert, or with a
    /// retraction of one, that may still be news. Where the known one is not in the log, the database went back, and all
    /// are new whose stamps are later.
    /// - Parameter match: nil for all matches.
    package func updates(
        of match: MatchID? = nil, beyond known: [MatchID: StampedVersion], deadline: Duration = .seconds(5)
    ) async throws -> [MatchUpdate] {
        let matches = Array(known)
        let rows = try await pool.query(
            """
            SELECT u.match_id, u.version, u.stamp, u.content_state, u.priority, u.alert::text AS alert, u.relevance,
                floor(extract(epoch FROM u.committed_at) * 1000)::bigint AS committed_at_ms, u.traceparent,
                u.phase, u.is_break, nullif(u.retracted, '[]')::text AS retracted,
                nullif(u.overtaken, '[]')::text AS overtaken
            FROM active_matches m
            JOIN match_updates u ON u.match_id = m.match_id
            LEFT JOIN unnest($1::bigint[], $2::bigint[], $4::bigint[]) AS known (match_id, version, stamp)
                ON known.match_id = m.match_id
            LEFT JOIN match_updates k
                ON k.match_id = known.match_id AND k.version = known.version AND k.stamp = known.stamp
            WHERE u.version > coalesce(k.version, 0) AND u.stamp > coalesce(known.stamp, 0)
                AND (u.version = m.version
                    OR (u.alert IS NOT NULL OR u.retracted <> '[]' OR u.overtaken <> '[]')
                        AND u.committed_at > clock_timestamp() - interval '60 seconds')
                AND (m.ended_at IS NULL OR m.ended_at > clock_timestamp() - interval '10 minutes')
                AND m.match_id = coalesce($3::bigint, m.match_id)
            ORDER BY u.match_id, u.version
            """,
            [
                .intArray(matches.map(\.key.rawValue)), .intArray(matches.map(\.value.number.rawValue)),
                match.map { .int($0.rawValue) } ?? .null, .intArray(matches.map(\.value.stamp.rawValue)),
            ],
            deadline: deadline)
        return try rows.compactMap { row in
            // A version that cannot be read must not hold up the other matches; the next version takes its place.
            guard let state = try? Self.decode(ContentState.self, try row.string("content_state")) else { return nil }
            let alert = try row.optionalString("alert").flatMap { try? Self.decode(MatchAlert.self, $0) }
            return MatchUpdate(
                matchID: MatchID(try row.int64("match_id")), version: MatchVersion(try row.int("version")),
                stamp: Stamp(try row.int("stamp")), contentState: state, priority: try row.int("priority"),
                alert: alert, relevance: try row.double("relevance"), phase: try row.optionalString("phase"),
                isBreak: try row.optionalBool("is_break"),
                retracted: try row.optionalString("retracted").flatMap { try? Self.decode([String].self, $0) },
                overtaken: try row.optionalString("overtaken").flatMap { try? Self.decode([String].self, $0) },
                committedAtMs: try row.int64("committed_at_ms"),
                traceparent: try row.optionalString("traceparent"))
        }
    }

    /// Returns a stamp for a repetition of a match's newest state: the next one, or the last one when the stamps are
    /// ahead of the clock. That one was taken for this state, too, as a rule a moment ago for phones of another
    /// coordinator. Nil when the match is not known.
    package func takeStamp(_ match: MatchID) async throws -> FreshStamp? {
        let rows = try await pool.query(
            """
            UPDATE active_matches SET stamp = greatest(
                stamp, floor(extract(epoch FROM clock_timestamp()))::bigint,
                least(stamp + 1, floor(extract(epoch FROM clock_timestamp()))::bigint + \(StampLead.max)))
            WHERE match_id = $1
            RETURNING stamp, version, extract(epoch FROM clock_timestamp())::double precision AS at
            """, [.int(match.rawValue)])
        return try rows.first.map { row in
            FreshStamp(
                stamp: Stamp(try row.int("stamp")), version: MatchVersion(try row.int("version")),
                at: try row.double("at"))
        }
    }

    // MARK: - Alerts

    /// Claims an alert for some buckets, before any of its pushes leaves. It is not gained if its event was before the
    /// database last went back: it may have been told in the time that was lost.
    package func claimAlert(
        _ match: MatchID, version: MatchVersion, buckets: [AlertBucket], bucketCount: Int, holder: String,
        leases: [ShardLease]
    ) async throws -> AlertClaims {
        let rows = try await pool.query(
            """
            WITH ours AS (
                SELECT bucket FROM unnest($3::int[], $8::int[]) AS asked (bucket, shard)
                JOIN unnest($6::int[], $7::bigint[]) AS held (shard, epoch) USING (shard)
                JOIN leases l ON l.name = 'shard:' || held.shard AND l.epoch = held.epoch
                    AND l.expires_at > clock_timestamp()
            ), claimed AS (
                INSERT INTO alert_claims (match_id, alert_version, bucket, bucket_count, holder)
                SELECT $1, $2, bucket, $4, $5 FROM ours
                WHERE NOT EXISTS (
                    SELECT FROM match_updates u WHERE u.match_id = $1 AND u.version = $2
                        AND to_timestamp((u.alert ->> 'eventAt')::double precision) < \(LostTimeSQL.end))
                ON CONFLICT DO NOTHING
                RETURNING bucket
            )
            SELECT bucket, bucket IN (SELECT bucket FROM claimed) AS is_gained FROM ours
            """,
            [
                .int(match.rawValue), .int(version.rawValue), .intArray(buckets.map(\.number)), .int(bucketCount),
                .text(holder), .intArray(leases.map(\.shard)), .intArray(leases.map(\.epoch)),
                .intArray(buckets.map(\.shard)),
            ], deadline: .seconds(2))
        var claims = AlertClaims()
        claims.unheld = Set(buckets)
        for row in rows {
            let number = try row.int("bucket")
            guard let bucket = buckets.first(where: { $0.number == number }) else { continue }
            claims.unheld.remove(bucket)
            if try row.bool("is_gained") { claims.gained.insert(bucket) }
        }
        return claims
    }

    // MARK: - Progress

    /// Reads how far the buckets of some shards are settled, by match.
    package func progress(shards: [Int]) async throws -> [MatchID: [Int: BucketProgress]] {
        let rows = try await pool.query(
            """
            SELECT match_id, bucket, settled_stamp, array_to_string(laggards, ',') AS laggards FROM bucket_progress
            WHERE bucket * \(DeviceRoute.shardCount) / bucket_count = ANY($1::int[]) AND bundle = $2
            """, [.intArray(shards), .text(bundleID)])
        var progress: [MatchID: [Int: BucketProgress]] = [:]
        for row in rows {
            let match = MatchID(try row.int64("match_id"))
            let laggards = try row.string("laggards").split(separator: ",").compactMap { Int64($0) }
            progress[match, default: [:]][try row.int("bucket")] = BucketProgress(
                stamp: Stamp(try row.int("settled_stamp")), laggards: Set(laggards))
        }
        return progress
    }

    /// Records that every device of these buckets shows the state of its bucket's stamp, except the laggards named
    /// there.
    package func settle(_ match: MatchID, _ buckets: [Int: BucketProgress], bucketCount: Int) async throws {
        let entries = Array(buckets)
        try await pool.execute(
            """
            INSERT INTO bucket_progress AS known (match_id, bucket, bucket_count, settled_stamp, laggards, bundle)
            SELECT $1, bucket, $2, stamp, laggards::bigint[], $6
            FROM unnest($3::int[], $4::bigint[], $5::text[]) AS settled (bucket, stamp, laggards)
            ON CONFLICT (match_id, bucket, delay) DO UPDATE SET
                bucket_count = excluded.bucket_count, settled_stamp = excluded.settled_stamp,
                laggards = excluded.laggards, bundle = excluded.bundle
            WHERE excluded.settled_stamp >= known.settled_stamp OR known.bundle <> excluded.bundle
            """,
            [
                .int(match.rawValue), .int(bucketCount), .intArray(entries.map(\.key)),
                .intArray(entries.map(\.value.stamp.rawValue)),
                .textArray(entries.map { "{\($0.value.laggards.map { "\($0)" }.joined(separator: ","))}" }),
                .text(bundleID),
            ])
    }

    // MARK: - Outcomes

    /// Ends activities whose tokens are dead, if these registrations are still current. No start follows; the phones
    /// are asked to reconcile instead.
    /// - Returns: how many of the tokens were bad ones (`isBad`).
    @discardableResult
    package func retire(_ dead: [DeadToken]) async throws -> Int {
        let dead = try dead.map { ($0, key: try vault.keys(of: $0.token.rawValue).lookup) }
        let tokens: [PostgresValue] = [
            .intArray(dead.map(\.0.match.rawValue)), .textArray(dead.map(\.key)),
            .textArray(dead.map { "\($0.0.tokenAt)" }),
        ]
        return try await pool.transaction { transaction in
            // Phones are locked first and in order, as in every statement: what an app writes takes its locks in the
            // same order, and so comes before all of this or after it.
            _ = try await transaction.query(
                """
                SELECT 1 FROM devices d
                WHERE (d.user_id, d.device_id) IN (
                    SELECT la.user_id, la.device_id
                    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS dead (match_id, token_key, token_at)
                    JOIN live_activities la ON \(Self.isDead))
                ORDER BY d.user_id, d.device_id FOR UPDATE
                """, tokens)
            // A phone without a device token cannot be asked.
            try await transaction.execute(
                """
                UPDATE devices d SET reconcile_due_at = clock_timestamp()
                FROM unnest($1::bigint[], $2::text[], $3::text[]) AS dead (match_id, token_key, token_at)
                JOIN live_activities la ON \(Self.isDead)
                WHERE d.user_id = la.user_id AND d.device_id = la.device_id AND d.reconcile_due_at IS NULL
                    AND d.device_token IS NOT NULL
                """, tokens)
            return try await transaction.query(
                BadTokenSQL.counting(
                    """
                    UPDATE live_activities la SET
                        status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), card = 'unknown'
                    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bool[])
                        AS dead (match_id, token_key, token_at, is_bad)
                    WHERE \(Self.isDead) RETURNING la.user_id, dead.is_bad
                    """, where: "is_bad"), tokens + [.boolArray(dead.map(\.0.isBad))]
            ).count
        }
    }

    private static let isDead = """
        la.status <> 'ended' AND la.status = 'active' AND token_key(la.update_token) = dead.token_key
        AND la.match_id = dead.match_id AND \(tokenAt) = dead.token_at::double precision
        """

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        do { return try BoundedJSON.decode(type, from: Data(text.utf8)) } catch {
            throw PostgresError(.decoding, "\(type): \(error)")
        }
    }
}
