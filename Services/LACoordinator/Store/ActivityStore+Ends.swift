import Activities
import FanOut
import Postgres
import SightscreenModels
import Store
import Tokens

extension ActivityStore {
    /// Claims ends that are due in our shards, each under a lease of its own; those of matches under a hold stay due.
    /// Ends that a user waits for come first, because the end of a match makes a million others due.
    /// - Parameter lease: longer than a push can take (two waits for a connection and a deadline: 26 s), so that no end
    ///   is sent a second time while the first try is in flight.
    package func claimEnds(_ leases: [ShardLease], limit: Int, lease: Duration = .seconds(30)) async throws
        -> [EndClaim]
    {
        let limit = min(limit, Self.claimMax)
        let urgent = try await claimEnds(leases, dismissal: "now", limit: limit, lease: lease)
        guard urgent.count < limit else { return urgent }
        return urgent
            + (try await claimEnds(leases, dismissal: "linger", limit: limit - urgent.count, lease: lease))
    }

    private func claimEnds(
        _ leases: [ShardLease], dismissal: String, limit: Int, lease: Duration
    ) async throws -> [EndClaim] {
        let rows = try await pool.query(
            """
            WITH RECURSIVE owed (match_id) AS (
                -- The matches that have ends to send, one step in the index for each: a held one with a million of them
                -- must not be walked over to reach the others.
                SELECT min(match_id) FROM live_activities WHERE end_push = 'due' AND end_dismissal = $5
                UNION ALL
                SELECT (SELECT min(la.match_id) FROM live_activities la
                    WHERE la.end_push = 'due' AND la.end_dismissal = $5 AND la.match_id > owed.match_id)
                FROM owed WHERE owed.match_id IS NOT NULL
            ), due AS (
                SELECT la.match_id, la.user_id, la.device_id, la.generation
                -- In any order, so that the ends of one match never keep those of another waiting for long.
                FROM (SELECT match_id FROM owed WHERE \(Self.isNotHeld("match_id")) ORDER BY random()) AS m
                CROSS JOIN LATERAL (
                    SELECT found.* FROM unnest($1::int[], $2::bigint[]) AS held (shard, epoch)
                    JOIN leases l ON l.name = 'shard:' || held.shard AND l.epoch = held.epoch
                        AND l.expires_at > clock_timestamp()
                    CROSS JOIN LATERAL (
                        SELECT match_id, user_id, device_id, generation FROM live_activities
                        WHERE match_id = m.match_id AND shard = held.shard
                            AND end_push = 'due' AND end_dismissal = $5 AND update_token IS NOT NULL
                            AND (end_lease_until IS NULL OR end_lease_until <= clock_timestamp())
                        LIMIT $3
                        FOR UPDATE SKIP LOCKED) found
                    LIMIT $3) la
                LIMIT $3
            ), claimed AS (
                UPDATE live_activities la SET
                    end_attempts = la.end_attempts + 1,
                    end_lease_until = clock_timestamp() + $4::double precision * interval '1 second'
                FROM due
                WHERE (la.match_id, la.user_id, la.device_id, la.generation)
                    = (due.match_id, due.user_id, due.device_id, due.generation)
                RETURNING la.*
            )
            SELECT c.match_id, c.user_id, c.device_id, c.generation, c.shard, c.update_token, c.end_attempts,
                c.end_dismissal = 'linger' AS lingers, coalesce(d.environment, 'production') AS environment,
                coalesce(m.content_state, u.content_state) AS content_state,
                coalesce(m.stamp, u.stamp, 0) AS stamp,
                floor(extract(epoch FROM clock_timestamp()))::bigint AS now
            FROM claimed c
            LEFT JOIN devices d ON d.user_id = c.user_id AND d.device_id = c.device_id
            LEFT JOIN active_matches m ON m.match_id = c.match_id
            LEFT JOIN LATERAL (
                SELECT content_state, stamp FROM match_updates WHERE match_id = c.match_id
                ORDER BY version DESC LIMIT 1) u ON m.content_state IS NULL
            """,
            [
                .intArray(leases.map(\.shard)), .intArray(leases.map(\.epoch)), .int(limit),
                .double(lease / .seconds(1)), .text(dismissal),
            ])
        return try rows.compactMap { row in
            guard let token = try vault.read(try row.string("update_token"), as: .update) else { return nil }
            return EndClaim(
                key: try key(row), shard: try row.int("shard"), environment: try row.environment(),
                token: UpdateToken(token), lingers: try row.bool("lingers"),
                attempt: try row.int("end_attempts"),
                contentState: try row.optionalString("content_state").flatMap {
                    try? Self.decode(ContentState.self, $0)
                },
                stamp: Stamp(try row.int("stamp")), now: try row.int("now"))
        }
    }
    /// The outcome of one end push.
    package enum EndResult: Sendable, Hashable {
        /// APNs accepted the push.
        case sent
        /// The end can never be delivered: the token is dead, or four hours have passed.
        case dropped
        /// The end is sent again after this wait.
        case retry(after: Duration)
    }

    /// Records the result for the token that the end was sent to; a newer token of the activity is not affected.
    package func finishEnd(_ claim: EndClaim, _ result: EndResult) async throws {
        try await finishEnds([(claim, result)])
    }

    /// Records the results for the tokens that the ends were sent to; newer tokens of the activities are not affected.
    package func finishEnds(_ results: [(claim: EndClaim, result: EndResult)]) async throws {
        func state(_ result: EndResult) -> (String, Double) {
            switch result {
            case .sent: ("sent", 0)
            case .dropped: ("dropped", 0)
            case .retry(let delay): ("due", delay / .seconds(1))
            }
        }
        let (keys, states) = (results.map(\.claim.key), results.map { state($0.result) })
        let tokens = try results.map { try vault.keys(of: $0.claim.token.rawValue) }
        // An end is dropped four hours after it fell due (when the activity ended, or when a later token of it came),
        // because iOS has removed the activity by then. Every statement locks the rows in the same order, so that two
        // of them never deadlock.
        try await pool.execute(
            """
            WITH results AS (
                SELECT * FROM unnest(
                    $1::bigint[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::double precision[]
                ) AS r (match_id, user_id, device_id, generation, lookup, state, delay)
            ), owed AS MATERIALIZED (
                SELECT la.match_id, la.user_id, la.device_id, la.generation, results.state, results.delay
                FROM results JOIN live_activities la
                    ON la.user_id = results.user_id AND la.device_id = results.device_id
                    AND la.match_id = results.match_id AND la.generation = results.generation
                WHERE token_key(la.update_token) = results.lookup AND la.end_push = 'due'
                ORDER BY la.user_id, la.device_id, la.match_id, la.generation
                FOR UPDATE OF la
            )
            UPDATE live_activities la SET
                end_push = CASE WHEN owed.state = 'due'
                        AND greatest(la.ended_at, la.token_at) < clock_timestamp() - interval '4 hours'
                    THEN 'dropped' ELSE owed.state END,
                end_lease_until = clock_timestamp() + owed.delay * interval '1 second'
            FROM owed
            WHERE la.user_id = owed.user_id AND la.device_id = owed.device_id AND la.match_id = owed.match_id
                AND la.generation = owed.generation
            """,
            [
                .intArray(keys.map(\.matchID.rawValue)), .textArray(keys.map(\.userID.rawValue)),
                .textArray(keys.map(\.deviceID.rawValue)), .intArray(keys.map(\.generation)),
                .textArray(tokens.map(\.lookup)), .textArray(states.map(\.0)), .doubleArray(states.map(\.1)),
            ])
    }

    /// Counts tokens of ends that the detector rejected against their accounts, whether or not an activity still has
    /// them: whoever invents tokens may have replaced them. An end that is still owed to one is dropped.
    func reject(_ ended: [EndedToken]) async throws {
        let keys = try ended.map { try vault.keys(of: $0.token.rawValue).lookup }
        try await pool.execute(
            """
            UPDATE live_activities la SET end_push = 'dropped'
            FROM (
                SELECT o.match_id, o.user_id, o.device_id, o.generation FROM live_activities o
                WHERE token_key(o.update_token) = ANY ($1::text[]) AND o.end_push = 'due'
                ORDER BY o.user_id, o.device_id, o.match_id, o.generation FOR UPDATE
            ) AS owed
            WHERE (la.match_id, la.user_id, la.device_id, la.generation)
                = (owed.match_id, owed.user_id, owed.device_id, owed.generation)
            """, [.textArray(keys)])
        _ = try await pool.query(
            BadTokenSQL.counting("SELECT unnest($1::text[]) AS user_id"), [.textArray(ended.map(\.user.rawValue))])
    }

    /// Releases a claim whose push did not leave, because a hold or another push to the token came first: the try does
    /// not count, and the end is due as before.
    package func releaseEnd(_ claim: EndClaim) async throws {
        try await pool.execute(
            """
            UPDATE live_activities SET end_attempts = end_attempts - 1, end_lease_until = NULL
            WHERE match_id = $1 AND user_id = $2 AND device_id = $3 AND generation = $4
                AND \(TokenSQL.has("update_token", "$5"))
                AND end_push = 'due' AND end_attempts = $6
            """,
            [
                .int(claim.key.matchID.rawValue), .text(claim.key.userID.rawValue),
                .text(claim.key.deviceID.rawValue), .int(claim.key.generation),
                try vault.parameter(claim.token.rawValue),
                .int(claim.attempt),
            ])
    }
}
