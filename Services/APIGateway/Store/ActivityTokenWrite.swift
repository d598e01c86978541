import Activities
import Postgres
import SightscreenModels
import Store

/// The writes of a batch of activity tokens: one statement for each kind of change.
struct ActivityTokenWrite {
    enum Kind: CaseIterable, Sendable {
        /// Marks phones as seen that were last seen long ago.
        case seen
        /// Take the token from phones of the same user that have it as one of another kind, which APNs has not accepted.
        case takeDevice, takeStart
        /// Ends the activities that held a token which now belongs to another.
        case take
        case activate, rotate
        /// Writes only the activity's id.
        case name
        case end
        case replace
        case adopt
        /// Insert a new record that is ended from the beginning: in a match that is over, or of a user who does not
        /// follow it.
        case insertEnded, refuse
        /// Fails the transaction unless the new holder of each taken token has it.
        case verify

        /// Whether the statement gives the token to its activity, for updates or for an end.
        var writesToken: Bool {
            switch self {
            case .activate, .rotate, .end, .replace, .adopt, .insertEnded, .refuse: true
            case .seen, .takeDevice, .takeStart, .take, .name, .verify: false
            }
        }
    }

    struct Row {
        /// The job's index in the batch.
        var place: Int
        var job: ActivityTokenJob
        /// The lookup keys of the token.
        var keys: TokenVault.Keys
        /// The token in its stored form.
        var token: String
        var device: DeviceID
        var lingers: Bool
        var generation = 0
        /// The generation that replaces it.
        var next = 0
        /// The row's `changed_xid` and place in the table (`ctid`) when it was read.
        var mark = ""
        var address = ""
    }

    private var rows: [Kind: [Row]] = [:]

    mutating func add(_ row: Row, to kind: Kind) {
        rows[kind, default: []].append(row)
        if kind == .take { add(row, to: .verify) }
    }

    var statements: ([PostgresStatement], [Kind]) {
        let kinds = Kind.allCases.filter { rows[$0] != nil }
        return (kinds.map { statement($0, rows[$0] ?? []) }, kinds)
    }

    private func statement(_ kind: Kind, _ rows: [Row]) -> PostgresStatement {
        switch kind {
        case .seen: Self.touch(rows)
        case .takeDevice: Self.take(rows, from: .device)
        case .takeStart: Self.take(rows, from: .start)
        case .take: Self.take(rows)
        case .activate: Self.update(rows, ActivityTokenStore.activation)
        case .rotate: Self.update(rows, ActivityTokenStore.rotation)
        case .name: Self.update(rows, ActivityTokenStore.naming)
        case .end: Self.update(rows, ActivityTokenStore.ending)
        case .replace: Self.replace(rows)
        case .adopt: Self.insert(rows, "active")
        case .insertEnded: Self.insert(rows, "match_end")
        case .refuse: Self.insert(rows, "user_unfollow")
        case .verify: Self.verify(rows)
        }
    }

    // MARK: - SQL

    private static func touch(_ rows: [Row]) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE devices d SET last_seen_at = clock_timestamp(), left_at = NULL
            FROM unnest($1::text[], $2::text[]) AS v (user_id, device_id)
            WHERE d.user_id = v.user_id AND d.device_id = v.device_id
            """, [.textArray(rows.map(\.job.user.rawValue)), .textArray(rows.map(\.device.rawValue))])
    }

    private static func take(_ rows: [Row], from kind: TokenKind) -> PostgresStatement {
        PostgresStatement(
            kind.giveWay, [.textArray(rows.map(\.keys.lookup)), .textArray(rows.map(\.job.user.rawValue))])
    }

    /// Ends the activities that held a token before: the activity that registers a token last has it. They end without
    /// a push, because an end to this token would now reach the new activity; an end that still waits is dropped for
    /// the same reason.
    private static func take(_ rows: [Row]) -> PostgresStatement {
        PostgresStatement(
            taking,
            [
                .intArray(rows.map(\.place)), .intArray(rows.map(\.job.match.rawValue)),
                .textArray(rows.map(\.job.user.rawValue)), .textArray(rows.map(\.device.rawValue)),
                .textArray(rows.map(\.keys.lookup)),
            ])
    }

    /// Fails if a taken token was not written: it has to be taken before it can be written, and the row that was to get
    /// it may have changed in between. Without this check the token would then belong to no activity.
    private static func verify(_ rows: [Row]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT 1 / (count(la.generation) = count(*))::int
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS v (match_id, user_id, device_id, token)
            LEFT JOIN LATERAL (
                SELECT a.generation FROM live_activities a
                WHERE a.match_id = v.match_id AND a.user_id = v.user_id AND a.device_id = v.device_id
                    AND a.update_token = v.token AND a.changed_xid = pg_current_xact_id()
                LIMIT 1
            ) la ON true
            """,
            [
                .intArray(rows.map(\.job.match.rawValue)), .textArray(rows.map(\.job.user.rawValue)),
                .textArray(rows.map(\.device.rawValue)), .textArray(rows.map(\.token)),
            ])
    }

    /// The SQLSTATE of the division by zero in `verify`.
    static let takenForNothing = "22012"

    static let taking = """
        UPDATE live_activities la
        SET status = 'ended', end_reason = coalesce(la.end_reason, 'token_invalid'),
            ended_at = coalesce(la.ended_at, clock_timestamp()),
            end_push = CASE WHEN la.end_push = 'due' THEN 'dropped' ELSE la.end_push END
        FROM (
            SELECT v.i, o.* FROM unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::text[])
                AS v (i, match_id, user_id, device_id, key)
            CROSS JOIN LATERAL (\(ActivityTokenStore.owners(of: "v.key"))) AS o
            WHERE (o.match_id, o.user_id, o.device_id) <> (v.match_id, v.user_id, v.device_id)
        ) t
        WHERE la.match_id = t.match_id AND la.user_id = t.user_id AND la.device_id = t.device_id
            AND la.generation = t.generation AND token_key(la.update_token) = t.token_key
            -- With OR the planner would go by the indexes of either kind, and through all ends that are due.
            AND CASE WHEN la.status <> 'ended' THEN true ELSE la.end_push = 'due' END
        RETURNING t.i, la.match_id, la.user_id
        """

    /// Updates only rows that are still as they were read. Such a row is still at its place in the table and is fetched
    /// from there without another lookup; if another row is there by now, its key and mark differ. The mark is compared
    /// in a form that no index can serve, because one transaction may have made thousands of records.
    ///
    /// - Parameter assignments: the new values, from the columns of `v`.
    private static func update(_ rows: [Row], _ assignments: String) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE live_activities la
            SET \(assignments), activity_id = coalesce(v.activity_id, la.activity_id),
                changed_xid = pg_current_xact_id()
            FROM unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[],
                $9::text[], $10::boolean[], $11::text[])
                AS v (i, match_id, user_id, device_id, generation, mark, address, token, activity_id, lingers, lookup)
            WHERE la.ctid = v.address::tid AND la.match_id = v.match_id AND la.user_id = v.user_id
                AND la.device_id = v.device_id AND la.generation = v.generation
                AND la.changed_xid IS NOT DISTINCT FROM v.mark::xid8
            RETURNING v.i
            """,
            [
                .intArray(rows.map(\.place)), .intArray(rows.map(\.job.match.rawValue)),
                .textArray(rows.map(\.job.user.rawValue)), .textArray(rows.map(\.device.rawValue)),
                .intArray(rows.map(\.generation)), .textArray(rows.map(\.mark)),
                .textArray(rows.map(\.address)), .textArray(rows.map(\.token)),
                .textArray(rows.map(\.job.request.activityId?.rawValue)), .boolArray(rows.map(\.lingers)),
                .textArray(rows.map(\.keys.lookup)),
            ])
    }

    /// Replaces only activities whose rows are still as they were read.
    private static func replace(_ rows: [Row]) -> PostgresStatement {
        PostgresStatement(
            ActivityTokenStore.replacement(
                from: """
                    unnest($1::bigint[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[],
                        $9::text[]) AS v
                        (match_id, user_id, device_id, generation, next, mark, token, start_id, activity_id)
                    """, where: "la.changed_xid IS NOT DISTINCT FROM v.mark::xid8"),
            [
                .intArray(rows.map(\.job.match.rawValue)), .textArray(rows.map(\.job.user.rawValue)),
                .textArray(rows.map(\.device.rawValue)), .intArray(rows.map(\.generation)),
                .intArray(rows.map(\.next)), .textArray(rows.map(\.mark)),
                .textArray(rows.map(\.token)), .textArray(rows.map(\.job.request.startId?.rawValue)),
                .textArray(rows.map(\.job.request.activityId?.rawValue)),
            ])
    }
    /// Inserts records and skips rows that another transaction has made in the meantime.
    /// - Parameter state: `active`, or the reason for which the record is ended from the beginning.
    private static func insert(_ rows: [Row], _ state: String) -> PostgresStatement {
        let routes = rows.map { DeviceRoute(user: $0.job.user, device: $0.device) }
        return PostgresStatement(
            """
            \(ActivityTokenStore.insertion)
            FROM (
                SELECT u.*, $11::text AS state
                FROM unnest($1::bigint[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::smallint[], $7::text[],
                    $8::text[], $9::text[], $10::boolean[])
                    AS u (match_id, user_id, device_id, generation, route, shard, start_id, activity_id, token, lingers)
            ) v
            ON CONFLICT DO NOTHING
            RETURNING user_id
            """,
            [
                .intArray(rows.map(\.job.match.rawValue)), .textArray(rows.map(\.job.user.rawValue)),
                .textArray(rows.map(\.device.rawValue)), .intArray(rows.map(\.generation)),
                .intArray(routes.map(\.hash)), .intArray(routes.map(\.shard)),
                .textArray(rows.map(\.job.request.startId?.rawValue)),
                .textArray(rows.map(\.job.request.activityId?.rawValue)),
                .textArray(rows.map(\.token)), .boolArray(rows.map(\.lingers)),
                .text(state),
            ])
    }
}
