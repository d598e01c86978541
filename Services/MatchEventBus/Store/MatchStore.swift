package import Postgres
package import SightscreenModels
import Store

/// The state and the log of matches. Event-bus writes them one version at a time, and continues from them.
package struct MatchStore: Sendable {
    /// The most rows of `active_matches`, more than the whole world plays in a week. The provider names its matches,
    /// and must not be able to fill the table with invented ones.
    package static let matchesMax = 500

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }
    /// The stored state of a match; nil before its first commit.
    package func load(_ match: MatchID) async throws -> StoredMatch? {
        let rows = try await pool.query(
            """
            SELECT version, stamp, machine, 0 AS place FROM active_matches WHERE match_id = $1
            UNION ALL
            (SELECT version, stamp, NULL, 1 FROM match_updates WHERE match_id = $1 ORDER BY version DESC LIMIT 1)
            ORDER BY place LIMIT 1
            """, [.int(match.rawValue)])
        guard let row = rows.first else { return nil }
        return StoredMatch(
            version: MatchVersion(try row.int("version")), stamp: Stamp(try row.int("stamp")),
            machine: try row.optionalString("machine"))
    }

    /// Writes one version: state, machine and log row together, in one statement that also checks that the lease is
    /// still held and that no other process has written since. It takes the next stamp under the match's row lock.
    ///
    /// - Throws: `StoreError` `.leaseLost`, `.versionMoved`, `.tooSoon` or `.full`, after which nothing was written;
    ///   `PostgresError`, of which `.outcomeUnknown` and `.deadline` may have written.
    package func commit(_ commit: MatchCommit) async throws -> CommittedMatch {
        let rows = try await pool.query(
            Self.commitStatement,
            [
                .text(commit.lease.name.rawValue), .int(commit.lease.epoch), .int(commit.matchID.rawValue),
                .int(commit.previousVersion.rawValue), .text(commit.displayState.rawValue),
                .text(commit.contentState), .double(commit.relevance), .text(commit.machine),
                .bool(commit.atStumps), .bool(commit.isSuspended), .bool(commit.isLive), .bool(commit.isSettled),
                .text(commit.events), .text(commit.retracted), .int(commit.priority), PostgresValue(commit.alert),
                .bool(commit.isByTime), PostgresValue(commit.traceparent), .text(commit.phase), .bool(commit.isBreak),
                .bool(commit.hasMoved), .bool(commit.isSilent),
                .text(commit.overtaken),
            ])
        guard let row = rows.first else { throw try await refusal(of: commit) }
        return CommittedMatch(
            version: MatchVersion(try row.int("version")), stamp: Stamp(try row.int("stamp")),
            committedAtMs: try row.int64("at_ms"))
    }
    /// Matches in play without a holder for `quiet`: their keep-alives and held results are due.
    package func orphans(quietFor quiet: Duration) async throws -> [MatchID] {
        let rows = try await pool.query(
            """
            SELECT a.match_id FROM active_matches AS a LEFT JOIN leases AS l ON l.name = 'match:' || a.match_id
            WHERE a.settled_at IS NULL AND a.ended_at IS NULL AND a.machine IS NOT NULL
              AND a.display_state IN ('live', 'inningsBreak', 'suspended')
              AND coalesce(l.expires_at, a.updated_at) < clock_timestamp() - $1::bigint * interval '1 millisecond'
            ORDER BY a.match_id
            """, [.int(quiet.milliseconds)])
        return try rows.map { MatchID(try $0.int64("match_id")) }
    }

    /// Matches that an operator wants to be ended.
    package func endsAsked() async throws -> [MatchID] {
        try await pool.query(
            """
            SELECT match_id FROM active_matches
            WHERE end_asked_at IS NOT NULL AND ended_at IS NULL AND settled_at IS NULL ORDER BY match_id
            """
        ).map { MatchID(try $0.int64("match_id")) }
    }

    /// The database's clock, in milliseconds since 1970.
    package func now() async throws -> Int64 {
        let rows = try await pool.query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at_ms")
        guard let row = rows.first else { throw PostgresError(.decoding, "no clock") }
        return try row.int64("at_ms")
    }

    /// Finds the reason why `commit` wrote nothing.
    private func refusal(of commit: MatchCommit) async throws -> StoreError {
        let rows = try await pool.query(
            """
            SELECT EXISTS (SELECT 1 FROM leases WHERE name = $1 AND epoch = $2 AND expires_at > clock_timestamp())
                   AND NOT EXISTS (SELECT 1 FROM active_matches WHERE match_id = $3 AND epoch > $2) AS held,
                   EXISTS (SELECT 1 FROM active_matches WHERE match_id = $3 AND version <> $4) AS moved,
                   $4 = 0 AND NOT (\(Self.hasRoom)) AS full
            """,
            [
                .text(commit.lease.name.rawValue), .int(commit.lease.epoch), .int(commit.matchID.rawValue),
                .int(commit.previousVersion.rawValue),
            ])
        guard let row = rows.first, try row.bool("held") else {
            return StoreError(.leaseLost, "\(commit.lease.name) is not held under epoch \(commit.lease.epoch)")
        }
        if try row.bool("moved") {
            return StoreError(.versionMoved, "match \(commit.matchID) is past version \(commit.previousVersion)")
        }
        if try row.bool("full") {
            return StoreError(.full, "match \(commit.matchID) is new, and there are \(Self.matchesMax) matches")
        }
        return StoreError(.tooSoon, "the stamps of match \(commit.matchID) are ahead of the clock")
    }

    /// The condition for a match's first version: the table has room.
    private static let hasRoom = """
        (SELECT count(*) FROM (SELECT FROM active_matches LIMIT \(matchesMax)) AS known) < \(matchesMax)
        """

    private static let commitStatement = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), written AS (
            INSERT INTO active_matches AS a (
                match_id, version, stamp, epoch, display_state, content_state, relevance, machine, at_stumps,
                suspended_at, went_live_at, settled_at, last_ball_at, updated_at)
            SELECT $3::bigint, $4::bigint + 1,
                greatest(
                    (SELECT max(u.stamp) + 1 FROM match_updates AS u WHERE u.match_id = $3),
                    floor(extract(epoch FROM clock_timestamp()))::bigint),
                $2::bigint, $5, $6, $7::double precision, $8, $9::boolean,
                CASE WHEN $10::boolean THEN clock_timestamp() END, CASE WHEN $11::boolean THEN clock_timestamp() END,
                CASE WHEN $12::boolean THEN clock_timestamp() END, CASE WHEN $21::boolean THEN clock_timestamp() END,
                clock_timestamp()
            FROM lease_guard
            WHERE $4::bigint > 0 OR \(hasRoom)
            ON CONFLICT (match_id) DO UPDATE SET
                version = a.version + 1,
                stamp = greatest(a.stamp + 1, floor(extract(epoch FROM clock_timestamp()))::bigint),
                epoch = excluded.epoch,
                display_state = excluded.display_state,
                content_state = excluded.content_state,
                relevance = excluded.relevance,
                machine = excluded.machine,
                at_stumps = excluded.at_stumps,
                suspended_at = CASE WHEN $10 THEN coalesce(a.suspended_at, clock_timestamp()) END,
                went_live_at = coalesce(a.went_live_at, excluded.went_live_at),
                settled_at = CASE WHEN $12 THEN coalesce(a.settled_at, clock_timestamp()) END,
                last_ball_at = coalesce(excluded.last_ball_at, a.last_ball_at),
                -- A match that reopens is current again; time alone reopens none that was called off.
                ended_at = CASE WHEN $22::boolean THEN coalesce(a.ended_at, clock_timestamp())
                    WHEN $12 OR $17::boolean THEN a.ended_at END,
                end_reason = CASE WHEN $22 THEN 'silent' WHEN $12 OR $17 THEN a.end_reason END,
                end_asked_at = NULL,
                updated_at = clock_timestamp()
            WHERE a.epoch <= excluded.epoch AND a.version = $4
              AND a.stamp < floor(extract(epoch FROM clock_timestamp()))::bigint + \(StampLead.max)
            RETURNING a.version, a.stamp
        ), logged AS (
            INSERT INTO match_updates (
                match_id, version, stamp, content_state, events, retracted, priority, alert, relevance, traceparent,
                phase, is_break, overtaken)
            SELECT $3, version, stamp, $6, $13::jsonb, $14::jsonb, $15::smallint, $16::jsonb, $7, $18, $19, $20::boolean,
                $23::jsonb
            FROM written
            RETURNING version, stamp
        )
        SELECT version, stamp, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at_ms,
               pg_notify('\(VersionHint.channel)', $3::text || ' ' || version || ' ' || stamp)
        FROM logged
        """
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
