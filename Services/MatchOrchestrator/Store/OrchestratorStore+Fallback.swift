package import Activities
import Postgres
package import SightscreenModels
package import Store

extension OrchestratorStore {
    /// The changes that one pass made to phones that do not answer to starts.
    package struct FallbackChanges: Sendable, Equatable {
        /// The number of phones that moved to each step.
        package var moved: [StartFallback.Step: Int] = [:]
        /// The matches for which there is something to send or to start.
        package var matches: Set<MatchID> = []
    }

    /// Brings every phone whose starts are lost to the step that is due by `fallback`.
    package func moveFallbacks(_ fallback: StartFallback, under lease: Lease) async throws -> FallbackChanges {
        var changes = FallbackChanges()
        // Answers to starts are noted before phones are moved on.
        let answered = try await repeated(lease, Self.noteAnswered, [.int(batchSize)])
        changes.matches = answered.matches
        if answered.rows > 0 { changes.moved[.none] = answered.rows }
        _ = try await repeated(lease, Self.withdraw, [.int(batchSize)])
        var last = ("", "")
        while true {
            let rows = try await pool.query(
                Self.move,
                lease.parameters + [.int(batchSize), fallback.wait.parameter, .text(last.0), .text(last.1)])
            try lease.check(rows)
            guard let row = rows.first else { return changes }
            changes.matches.formUnion(Self.matches(try row.optionalString("matches")))
            for step in [StartFallback.Step.silent, .visible, .passive] {
                let count = try row.int(step.rawValue)
                if count > 0 { changes.moved[step, default: 0] += count }
            }
            // A page has fewer rows when the same phone was found twice, so only an empty page is the last.
            guard let user = try row.optionalString("last_user"), let device = try row.optionalString("last_device")
            else { return changes }
            last = (user, device)
        }
    }

    /// Returns how many phones are at each step now.
    package func fallbackCounts() async throws -> [StartFallback.Step: Int] {
        var counts: [StartFallback.Step: Int] = [.silent: 0, .visible: 0, .passive: 0]
        let rows = try await pool.query(
            """
            SELECT fallback_step, count(*) AS count FROM devices
            WHERE fallback_token_hash IS NOT NULL AND fallback_step <> 'none' GROUP BY fallback_step
            """)
        for row in rows {
            if let step = StartFallback.Step(rawValue: try row.string("fallback_step")) {
                counts[step] = try row.int("count")
            }
        }
        return counts
    }

    /// Resets phones that answered a start with an update token, which shows that their start token works. Starts that
    /// were given up on them are tried again.
    private static let noteAnswered = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
            SELECT d.user_id, d.device_id FROM devices d
            WHERE d.fallback_token_hash IS NOT NULL AND d.dead_start_token_hash IS NULL AND EXISTS (
                SELECT FROM live_activities l WHERE l.user_id = d.user_id AND l.device_id = d.device_id
                    AND l.start_sent_at IS NOT NULL AND l.activated_at > d.fallback_began_at)
            LIMIT $3::bigint
        ), reset AS (
            UPDATE devices d SET \(StartFallbackSQL.registered), fallback_token_hash = NULL, fallback_began_at = NULL
            FROM lease_guard, picked p
            WHERE d.user_id = p.user_id AND d.device_id = p.device_id AND d.dead_start_token_hash IS NULL
            RETURNING d.user_id, d.device_id
        ), again AS (
            UPDATE live_activities l SET start_given_up_at = NULL, start_attempts = 0, start_lease_until = NULL
            FROM reset r
            WHERE l.user_id = r.user_id AND l.device_id = r.device_id AND l.status = 'pending'
                AND l.start_given_up_at IS NOT NULL
            RETURNING l.match_id
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM reset) AS taken,
            (SELECT string_agg(DISTINCT match_id::text, ',') FROM again) AS matches
        """

    /// Withdraws pushes that have not left and are no longer needed, because the match is over, was unfollowed, or is
    /// shown after all. The phone goes back to the step before.
    private static let withdraw = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), picked AS MATERIALIZED (
            SELECT d.user_id, d.device_id, d.fallback_at FROM devices d
            WHERE d.fallback_push = 'due' AND NOT \(StartFallbackSQL.isWanted("d.fallback_match_id")) LIMIT $3::bigint
        ), reset AS (
            UPDATE devices d SET
                fallback_step = CASE d.fallback_step WHEN 'visible' THEN 'silent' ELSE 'none' END,
                fallback_push = CASE d.fallback_step WHEN 'visible' THEN 'sent' ELSE 'none' END,
                fallback_token_hash = CASE d.fallback_step WHEN 'visible' THEN d.fallback_token_hash END
            FROM lease_guard, picked p
            WHERE d.user_id = p.user_id AND d.device_id = p.device_id AND d.fallback_push = 'due'
                AND d.fallback_at IS NOT DISTINCT FROM p.fallback_at
            RETURNING 1
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM reset) AS taken, NULL AS matches
        """

    /// A condition on a row `l` of `live_activities`, written exactly as in its index.
    private static let isInQuestion = """
        l.status = 'pending' AND (l.start_given_up_at IS NOT NULL OR l.start_attempts >= 2)
        """

    /// Moves all phones to their next step (`StartFallback`). A start counts as unanswered from its second try on, and as
    /// lost when the second stayed unanswered, too, when it was given up, or when the phone has no start token because
    /// APNs called it dead and no other start is on its way.
    private static let move = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), page AS MATERIALIZED (
            -- Page by page over the phones: most of them are where they were.
            (SELECT l.user_id, l.device_id FROM live_activities l
            WHERE \(isInQuestion) AND (l.user_id, l.device_id) > ($5::text, $6::text)
            ORDER BY l.user_id, l.device_id LIMIT $3::bigint)
            UNION
            (SELECT d.user_id, d.device_id FROM devices d
            WHERE d.dead_start_token_hash IS NOT NULL AND (d.user_id, d.device_id) > ($5::text, $6::text)
            ORDER BY d.user_id, d.device_id LIMIT $3::bigint)
            ORDER BY user_id, device_id LIMIT $3::bigint
        ), last AS (SELECT user_id, device_id FROM page ORDER BY user_id DESC, device_id DESC LIMIT 1
        ), lost AS (
            SELECT l.user_id, l.device_id, l.match_id, l.start_given_up_at IS NOT NULL
                OR l.start_attempts > \(StartFallback.triesUnanswered)
                OR coalesce(l.start_lease_until <= clock_timestamp(), false) AS is_lost
            FROM page JOIN live_activities l ON l.user_id = page.user_id AND l.device_id = page.device_id
            WHERE \(isInQuestion)
            UNION ALL
            SELECT d.user_id, d.device_id, f.match_id, true
            FROM page JOIN devices d ON d.user_id = page.user_id AND d.device_id = page.device_id
            JOIN match_follows f ON f.user_id = d.user_id
            WHERE d.dead_start_token_hash IS NOT NULL AND d.push_to_start_token IS NULL AND d.live_activities_enabled
                AND NOT EXISTS (
                    SELECT FROM live_activities o WHERE o.user_id = d.user_id AND o.device_id = d.device_id
                        AND o.match_id = f.match_id AND o.status = 'pending'
                        AND o.start_lease_until > clock_timestamp())
                AND NOT \(MissingCardSQL.isMissing(match: "f.match_id", user: "d.user_id", device: "d.device_id"))
        ), picked AS MATERIALIZED (
            SELECT DISTINCT ON (d.user_id, d.device_id) d.user_id, d.device_id, d.fallback_step, d.fallback_at,
                l.match_id, l.is_lost, f.alerts <> 'none' AS may_show, \(MissingCardSQL.mayAsk) AS may_ask,
                coalesce(d.visible_push_at > clock_timestamp()
                    - \(StartFallbackSQL.seconds(StartFallback.visibleInterval)), false) AS was_shown,
                coalesce(d.fallback_token_hash = \(StartFallbackSQL.tokenHash), false) AS is_spent
            FROM lost l
            JOIN devices d ON d.user_id = l.user_id AND d.device_id = l.device_id
            JOIN match_follows f ON f.user_id = l.user_id AND f.match_id = l.match_id
            JOIN active_matches a ON a.match_id = l.match_id
            WHERE d.live_activities_enabled AND d.fallback_push <> 'due' AND (d.fallback_step = 'none'
                    OR d.fallback_step IN ('silent', 'visible')
                        AND d.fallback_at <= clock_timestamp() - $4::double precision * interval '1 second')
                AND \(StartFallbackSQL.followLasts) AND \(LiveMatch.condition)
                AND NOT EXISTS (
                    SELECT FROM live_activities o WHERE o.user_id = l.user_id AND o.device_id = l.device_id
                        AND o.match_id = l.match_id AND o.status = 'active')
            ORDER BY d.user_id, d.device_id, l.is_lost DESC, may_show DESC, a.relevance DESC, l.match_id
        ), decided AS (
            SELECT p.*, CASE p.fallback_step
                WHEN 'none' THEN CASE WHEN p.is_spent THEN 'passive' ELSE 'silent' END
                WHEN 'silent' THEN CASE WHEN p.was_shown OR NOT p.may_show THEN 'passive' ELSE 'visible' END
                ELSE 'passive' END AS step
            FROM picked p
            -- A try that is out may still bring it.
            WHERE p.is_lost OR p.fallback_step = 'none' AND NOT p.is_spent
        ), moved AS (
            UPDATE devices d SET
                fallback_step = n.step, fallback_at = clock_timestamp(), fallback_match_id = n.match_id,
                fallback_began_at = CASE n.fallback_step WHEN 'none' THEN clock_timestamp() ELSE d.fallback_began_at END,
                fallback_token_hash = \(StartFallbackSQL.tokenHash),
                -- A phone that has had its silent pushes comes to the step without one.
                fallback_push = CASE WHEN n.step <> 'passive' AND d.device_token IS NOT NULL
                    AND (n.step <> 'silent' OR n.may_ask) THEN 'due' ELSE 'none' END
            FROM lease_guard, decided n
            -- Unless the app has registered meanwhile.
            WHERE d.user_id = n.user_id AND d.device_id = n.device_id AND d.fallback_step = n.fallback_step
                AND d.fallback_at IS NOT DISTINCT FROM n.fallback_at
            RETURNING n.step, n.match_id
        )
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT user_id FROM last) AS last_user,
            (SELECT device_id FROM last) AS last_device,
            (SELECT string_agg(DISTINCT match_id::text, ',') FROM moved WHERE step <> 'passive') AS matches,
            (SELECT count(*) FROM moved WHERE step = 'silent') AS silent,
            (SELECT count(*) FROM moved WHERE step = 'visible') AS visible,
            (SELECT count(*) FROM moved WHERE step = 'passive') AS passive
        """
}
