import Postgres
package import SightscreenModels
package import Store

extension OrchestratorStore {
    /// Ends matches whose result was announced `hold` ago; `endActivities` ends their activities. An abandoned match
    /// whose result is not announced has one `hold` after that status, which is held in turn.
    /// - Returns: the matches that ended now.
    package func endSettledMatches(hold: Duration, under lease: Lease) async throws -> [MatchID] {
        let rows = try await pool.query(
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), ended AS (
                UPDATE active_matches SET ended_at = clock_timestamp() FROM lease_guard
                WHERE ended_at IS NULL
                    AND coalesce(
                        settled_at,
                        CASE WHEN display_state = 'abandoned'
                            THEN updated_at + $3::double precision * interval '1 second' END
                    ) <= clock_timestamp() - $3::double precision * interval '1 second'
                RETURNING match_id
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held,
                (SELECT string_agg(match_id::text, ',') FROM ended) AS matches
            """, lease.parameters + [hold.parameter])
        try lease.check(rows)
        return try Self.matches(rows.first?.optionalString("matches"))
    }

    /// Returns the time until the next announced result, or the next day's end, has been held for `hold`; nil if none
    /// waits.
    package func untilNextEnd(hold: Duration) async throws -> Duration? {
        let rows = try await pool.query(
            """
            SELECT extract(epoch FROM min(told_at) - clock_timestamp())::double precision AS seconds
            FROM (
                SELECT settled_at AS told_at FROM active_matches WHERE ended_at IS NULL
                UNION ALL
                -- What was held long enough has been ended: a match may be at stumps for a whole night.
                SELECT updated_at FROM active_matches
                WHERE ended_at IS NULL AND settled_at IS NULL AND at_stumps
                    AND updated_at > clock_timestamp() - $1::double precision * interval '1 second'
            ) AS waiting
            """, [hold.parameter])
        guard let seconds = try rows.first?.optionalDouble("seconds") else { return nil }
        return max(.zero, .seconds(seconds) + hold)
    }

    /// Returns the matches that the schedule says will not be played now: cancelled, abandoned, postponed, or no longer
    /// listed at two syncs in a row. Only those with something to end are returned, and of those in play only those for
    /// which the event bus has been silent for `quiet`. Matches that the schedule never had are returned a day after
    /// they went live: the provider invented or forgot them.
    package func calledOffMatches(quiet: Duration) async throws -> [CalledOffMatch] {
        let rows = try await pool.query(
            """
            SELECT f.match_id, coalesce(f.missing_since < f.synced_at, false) AS vanished
            FROM fixtures AS f LEFT JOIN active_matches AS a ON a.match_id = f.match_id
            WHERE (\(FixtureSQL.isCalledOff("f.status")) OR f.missing_since < f.synced_at)
                AND (a.match_id IS NULL OR a.settled_at IS NULL AND a.ended_at IS NULL
                    AND a.updated_at < clock_timestamp() - $1::double precision * interval '1 second')
                AND (a.match_id IS NOT NULL OR EXISTS (
                    SELECT 1 FROM live_activities AS l WHERE l.match_id = f.match_id AND l.status <> 'ended'))
            UNION ALL
            SELECT a.match_id, true
            FROM active_matches AS a
            WHERE a.settled_at IS NULL AND a.ended_at IS NULL
                AND a.updated_at < clock_timestamp() - $1::double precision * interval '1 second'
                -- What time alone commits is no word of the provider.
                AND coalesce(a.went_live_at, a.updated_at) < clock_timestamp() - interval '1 day'
                AND NOT EXISTS (SELECT 1 FROM fixtures AS f WHERE f.match_id = a.match_id)
            ORDER BY match_id
            """, [quiet.parameter])
        return try rows.map {
            CalledOffMatch(matchID: MatchID(try $0.int64("match_id")), hasVanished: try $0.bool("vanished"))
        }
    }

    /// Ends matches that were called off. A later version of such a match opens it again.
    package func endCalledOffMatches(_ matches: [MatchID], under lease: Lease) async throws {
        let rows = try await pool.query(
            """
            WITH \(LeaseGuard.sql(name: 1, epoch: 2)), ended AS (
                UPDATE active_matches SET ended_at = clock_timestamp() FROM lease_guard
                WHERE match_id = ANY($3::bigint[]) AND ended_at IS NULL AND settled_at IS NULL
                RETURNING 1
            )
            SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM ended) AS ended
            """, lease.parameters + [.intArray(matches.map { $0.rawValue })])
        try lease.check(rows)
    }

    /// Ends every activity of a match that has ended or has been at stumps for `hold`, and of the matches named.
    /// Activities with a token get an `end` push, which leaves the result on the Lock Screen for a while.
    ///
    /// - Parameters:
    ///   - hold: the time from the newest version at stumps, which tells them, to the end: the alert is to be heard
    ///     first.
    ///   - calledOff: further matches, without a row in `active_matches`.
    package func endActivities(hold: Duration, calledOff: [MatchID] = [], under lease: Lease) async throws -> Changes {
        var changes = Changes()
        for match in try await matchesWithActivitiesToEnd(hold, calledOff) {
            // The rows are picked in the order of the index of activities that have not ended, so that no batch walks
            // over those before it.
            let ended = try await repeated(
                lease,
                Self.endStatement(
                    picking: """
                        SELECT l.match_id, l.user_id, l.device_id, l.generation FROM live_activities AS l
                        WHERE l.match_id = $4::bigint AND l.status <> 'ended'
                            -- It may have gone on since it was looked at.
                            AND NOT EXISTS (
                                SELECT 1 FROM active_matches AS m
                                WHERE m.match_id = $4 AND NOT \(Self.endsActivities("$5")))
                        ORDER BY l.match_id, l.user_id, l.device_id
                        """, reason: "match_end", dismissal: "linger"),
                [.int(batchSize), .int(match.rawValue), hold.parameter])
            changes.rows += ended.rows
            changes.matches.formUnion(ended.matches)
        }
        return changes
    }

    /// A condition on a row `m` of `active_matches`: its activities end. `hold` is a parameter in seconds.
    private static func endsActivities(_ hold: String) -> String {
        """
        (m.ended_at IS NOT NULL OR m.at_stumps
            AND m.updated_at <= clock_timestamp() - \(hold)::double precision * interval '1 second')
        """
    }

    private func matchesWithActivitiesToEnd(_ hold: Duration, _ calledOff: [MatchID]) async throws -> [MatchID] {
        let rows = try await pool.query(
            """
            SELECT u.match_id FROM (
                SELECT m.match_id FROM active_matches AS m WHERE \(Self.endsActivities("$2"))
                UNION
                SELECT c.match_id FROM unnest($1::bigint[]) AS c (match_id)
            ) AS u
            WHERE EXISTS (SELECT 1 FROM live_activities AS l WHERE l.match_id = u.match_id AND l.status <> 'ended')
            ORDER BY u.match_id
            """, [.intArray(calledOff.map { $0.rawValue }), hold.parameter])
        return try rows.map { MatchID(try $0.int64("match_id")) }
    }

    /// The place of an activity that has not ended, in the order of their index.
    package struct ActivityPlace: Sendable, Equatable {
        package var match: Int64
        package var user: String
        package var device: String

        /// The place before the first activity.
        package static let begin = ActivityPlace(match: .min, user: "", device: "")
    }

    /// Ends activities whose follower has unfollowed. An unfollow cannot see an activity that is being made at the same
    /// time.
    ///
    /// - Parameters:
    ///   - place: the activity after which the scan begins.
    ///   - activities: how many are scanned, in whole batches.
    /// - Returns: the changes, and the last activity that was scanned; nil at the end.
    package func endUnfollowed(
        under lease: Lease, after place: ActivityPlace = .begin, activities: Int = .max
    ) async throws -> (changes: Changes, last: ActivityPlace?) {
        var (changes, last, left) = (Changes(), place, activities)
        while left > 0 {
            let rows = try await pool.query(
                Self.endUnfollowedStatement,
                lease.parameters + [.int(batchSize), .int(last.match), .text(last.user), .text(last.device)])
            try lease.check(rows)
            guard let row = rows.first else { return (changes, nil) }
            changes.rows += try row.int("taken")
            changes.matches.formUnion(Self.matches(try row.optionalString("matches")))
            guard try row.int("seen") == batchSize, let match = try row.optionalInt64("last_match"),
                let user = try row.optionalString("last_user"), let device = try row.optionalString("last_device")
            else { return (changes, nil) }
            last = ActivityPlace(match: match, user: user, device: device)
            left -= batchSize
        }
        return (changes, last)
    }

    private static let endUnfollowedStatement = endStatement(
        page: """
            page AS MATERIALIZED (
                SELECT l.match_id, l.user_id, l.device_id, l.generation FROM live_activities AS l
                WHERE l.status <> 'ended'
                    AND (l.match_id, l.user_id, l.device_id) > ($4::bigint, $5::text, $6::text)
                ORDER BY l.match_id, l.user_id, l.device_id LIMIT $3::bigint
            ), last AS (
                SELECT match_id, user_id, device_id FROM page
                ORDER BY match_id DESC, user_id DESC, device_id DESC LIMIT 1
            ),
            """,
        picking: """
            SELECT l.match_id, l.user_id, l.device_id, l.generation FROM page AS l
            WHERE NOT EXISTS (
                SELECT 1 FROM match_follows AS f WHERE f.match_id = l.match_id AND f.user_id = l.user_id OFFSET 0)
            """,
        reason: "user_unfollow", dismissal: "now",
        telling: """
            , (SELECT count(*) FROM page) AS seen, (SELECT match_id FROM last) AS last_match,
                (SELECT user_id FROM last) AS last_user, (SELECT device_id FROM last) AS last_device
            """)

    /// Builds the statement that ends a batch of activities.
    /// - Parameters:
    ///   - page: a table expression that `picking` reads, with a comma at its end; empty if it reads only tables.
    ///   - picking: selects keys of `live_activities`; `$3` is the batch size.
    ///   - telling: more columns of the answer, each after a comma.
    static func endStatement(
        page: String = "", picking: String, reason: String, dismissal: String, telling: String = ""
    ) -> String {
        """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), \(page) picked AS MATERIALIZED (
            \(picking) LIMIT $3::bigint
        ), ended AS (
            UPDATE live_activities AS a SET
                status = 'ended', end_reason = '\(reason)', ended_at = clock_timestamp(),
                end_push = CASE WHEN a.update_token IS NULL THEN 'none' ELSE 'due' END,
                end_dismissal = '\(dismissal)'
            FROM lease_guard, picked
            WHERE a.match_id = picked.match_id AND a.user_id = picked.user_id AND a.device_id = picked.device_id
                AND a.generation = picked.generation AND a.status <> 'ended'
            RETURNING a.match_id
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM ended) AS taken,
            (SELECT string_agg(DISTINCT match_id::text, ',') FROM ended) AS matches\(telling)
        """
    }

    static func matches(_ list: String?) -> [MatchID] {
        (list ?? "").split(separator: ",").compactMap { MatchID(String($0)) }.sorted()
    }
}
