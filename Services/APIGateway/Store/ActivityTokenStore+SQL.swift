import Activities
import Postgres
import SightscreenModels
import Store

/// The SQL fragments for activity tokens.
extension ActivityTokenStore {
    // MARK: - Reading

    /// The most generations that are read, newest first. An app that makes more of them on one phone misbehaves.
    static let recordsMax = 64

    /// Reads what holds for the matches `$1`: one row for each, known or not. `$2` is `DISMISS_AFTER` in seconds.
    static let situations = """
        SELECT m.match_id, a.match_id IS NOT NULL OR f.match_id IS NOT NULL AS is_known,
            CASE WHEN a.match_id IS NULL THEN coalesce(\(FixtureSQL.isOver("f.status")), false)
                ELSE a.ended_at IS NOT NULL END AS is_over,
            -- It ended so recently that its result may stay on the Lock Screen.
            coalesce(a.ended_at > clock_timestamp() - make_interval(secs => $2::int), false) AS lingers,
            a.content_state
        FROM unnest($1::bigint[]) AS m (match_id)
        LEFT JOIN fixtures f USING (match_id) LEFT JOIN active_matches a USING (match_id)
        """
    /// A condition on a row `a` of `live_activities`: a start was sent or is about to be.
    static let startIsOut = "(a.start_sent_at IS NOT NULL OR coalesce(a.start_lease_until > clock_timestamp(), false))"

    /// A condition on a row of `live_activities`: it had the token of this key before its present one. The key is hashed
    /// only for rows whose token was replaced, which are few.
    static func wasFormer(_ key: String, of row: String = "a") -> String {
        "(\(row).former_tokens IS NOT NULL AND \(formerHash(key)) = ANY (\(row).former_tokens))"
    }

    /// The hash that is kept of a replaced token. The token itself is not kept, because it gives access to a Lock
    /// Screen.
    /// - Parameter key: the token's `token_key`.
    private static func formerHash(_ key: String) -> String { "hashtextextended(\(key)::text, 9)" }

    /// The columns of a row `a` of `live_activities` that the rules need; `generation` reads them.
    /// - Parameters:
    ///   - followedAt: the time since which the user follows the match.
    ///   - wasFormer: a condition: the row had the reported token before its present one.
    static func columns(followedAt: String, wasFormer: String) -> String {
        """
        a.generation, a.status, a.start_id, a.activity_id, token_key(a.update_token) AS token_key, a.renewal_start_id,
            \(startIsOut) AS start_is_out, \(ReportedGenerationSQL.startWasSent("a")) AS start_was_sent,
            \(wasFormer) AS was_former, a.end_push = 'due' AS end_is_due,
            coalesce(a.ended_at < \(followedAt), false) AS ended_before_follow,
            coalesce(a.end_reason = 'token_invalid', false) AS lost_its_token, a.card IS NOT NULL AS card_may_be_there
        """
    }

    /// Reads a row of `columns`.
    /// - Parameters:
    ///   - keys: the lookup keys of the reported token.
    ///   - reported: the reported token, which `was_former` is about.
    static func generation(
        _ row: PostgresRow, _ keys: TokenVault.Keys?, reported: UpdateToken?
    ) throws -> ActivityGeneration {
        let former = try row.bool("was_former") ? reported : nil
        return ActivityGeneration(
            generation: try row.int("generation"),
            status: ActivityGeneration.Status(rawValue: try row.string("status")) ?? .ended,
            startID: try row.optionalString("start_id").map { StartID($0) },
            activityID: try row.optionalString("activity_id").map { ActivityID($0) },
            // Any other token only has to differ from the reported one, so its key stands for it.
            token: try row.optionalString("token_key").map {
                keys?.lookup == $0 ? reported ?? UpdateToken($0) : UpdateToken($0)
            },
            renewalStartID: try row.optionalString("renewal_start_id").map { StartID($0) },
            formerTokens: former.map { [$0] } ?? [], startIsOut: try row.bool("start_is_out"),
            endedBeforeFollow: try row.bool("ended_before_follow"), lostItsToken: try row.bool("lost_its_token"),
            cardMayBeThere: try row.bool("card_may_be_there"), endIsOwed: try row.bool("end_is_due"),
            startWasSent: try row.bool("start_was_sent"))
    }

    /// Finds the activities that hold the token, and those to which an end with this token is due; some may be returned
    /// twice.
    ///
    /// The order makes the planner use the right index, because it may not sort (`ActivityTokenBatch.asPlannedOnce`).
    /// Without it, while the statistics know of no end that is due, a walk over all such ends seems as cheap, and by
    /// then there may be a million.
    static func owners(of key: String) -> String {
        ["status <> 'ended'", "end_push = 'due'"].map { condition in
            """
            (SELECT token_key(o.update_token) AS token_key, o.match_id, o.user_id, o.device_id, o.generation FROM live_activities o
            WHERE token_key(o.update_token) BETWEEN \(key) AND \(key) AND o.\(condition)
            ORDER BY token_key(o.update_token) LIMIT \(recordsMax))
            """
        }.joined(separator: " UNION ALL ")
    }

    // MARK: - Writing (the row is `la`, its new values are `v`)

    static let activation = """
        status = 'active', update_token = v.token, token_at = clock_timestamp(), activated_at = clock_timestamp(),
        -- The last start may have been on a channel, and this card is of one before.
        channel_id = NULL, start_lease_until = NULL, start_given_up_at = NULL
        """
    /// A rotation keeps the former token's hash.
    static let rotation = """
        update_token = v.token, token_at = clock_timestamp(),
        former_tokens = CASE WHEN token_key(la.update_token) <> v.lookup THEN
            (array_prepend(\(formerHash("token_key(la.update_token)")), la.former_tokens))[1:\(ActivityGeneration.formerTokensMax)]
            ELSE la.former_tokens END
        """

    /// The token stays as it is; only the activity's id is added.
    static let naming = "update_token = la.update_token"

    static let ending = """
        status = 'ended', end_reason = coalesce(la.end_reason, 'match_end'),
        ended_at = coalesce(la.ended_at, clock_timestamp()), \(rotation),
        end_push = 'due', end_dismissal = CASE WHEN v.lingers THEN 'linger' ELSE 'now' END, end_attempts = 0,
        end_lease_until = NULL
        """

    /// Ends the running activity and inserts the new one in its place.
    /// - Parameter source: the source of `v`, with the `generation` to end and the `next` one.
    static func replacement(from source: String, where condition: String = "true") -> String {
        """
        WITH old AS (
            UPDATE live_activities la SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(),
                end_push = CASE WHEN la.update_token IS NULL THEN 'none' ELSE 'due' END, end_dismissal = 'now'
            FROM \(source)
            WHERE la.match_id = v.match_id AND la.user_id = v.user_id AND la.device_id = v.device_id
                AND la.generation = v.generation AND la.status = 'active' AND \(condition)
            RETURNING la.match_id, la.user_id, la.device_id, la.route, la.shard, la.renewal_start_id,
                -- One start that was delivered twice is no renewal.
                CASE WHEN la.renewal_start_id IS NOT NULL AND (v.start_id IS NULL OR v.start_id IS DISTINCT FROM la.start_id)
                    THEN la.renewal_sent_at END AS renewal_sent_at,
                v.next, v.token, v.start_id, v.activity_id
        )
        INSERT INTO live_activities
            (match_id, user_id, device_id, generation, route, shard, status, start_id, start_sent_at, activity_id,
             update_token, token_at, activated_at)
        SELECT match_id, user_id, device_id, next, route, shard, 'active', coalesce(start_id, renewal_start_id),
            renewal_sent_at, activity_id, token, clock_timestamp(), clock_timestamp()
        FROM old
        RETURNING user_id
        """
    }

    /// Inserts a new record: `active`, or ended from the beginning for the reason `v.state`.
    static let insertion = """
        INSERT INTO live_activities
            (match_id, user_id, device_id, generation, route, shard, status, end_reason, start_id, start_sent_at,
             activity_id, update_token, token_at, activated_at, ended_at, end_push, end_dismissal)
        SELECT v.match_id, v.user_id, v.device_id, v.generation, v.route, v.shard,
            CASE WHEN v.state = 'active' THEN 'active' ELSE 'ended' END, nullif(v.state, 'active'), v.start_id,
            -- The start of a renewal is known by the generation that it renews.
            CASE WHEN v.state = 'active' THEN (
                SELECT o.renewal_sent_at FROM live_activities o
                WHERE o.match_id = v.match_id AND o.user_id = v.user_id AND o.device_id = v.device_id
                    AND o.renewal_start_id = v.start_id ORDER BY o.generation DESC LIMIT 1) END,
            v.activity_id, v.token, clock_timestamp(),
            -- One that is there after all, under another token, goes on with its age: iOS counts on.
            CASE WHEN v.state = 'active' THEN coalesce((
                SELECT \(ActivityAge.began("o")) FROM live_activities o
                WHERE o.match_id = v.match_id AND o.user_id = v.user_id AND o.device_id = v.device_id
                    AND o.generation = v.generation - 1 AND o.card IS NOT NULL
                    AND (o.activity_id = v.activity_id OR o.start_id = v.start_id
                        OR v.activity_id IS NULL AND v.start_id IS NULL)), clock_timestamp()) END,
            CASE WHEN v.state <> 'active' THEN clock_timestamp() END,
            CASE WHEN v.state = 'active' THEN 'none' ELSE 'due' END, CASE WHEN v.lingers THEN 'linger' ELSE 'now' END
        """
}
