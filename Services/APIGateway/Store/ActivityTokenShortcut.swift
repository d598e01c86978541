import Activities
import Postgres
import SightscreenModels
import Store

/// What nearly all of a stampede ask for, in one round trip: the first token of a phone's only activity, a
/// new one, or the one on record. It takes those requests of a batch for which its own conditions make `ActivityTokenRule`'s
/// answer certain, and does nothing for the others: they go on as a batch, which asks the rule. So do those that do not say
/// which phone they are about.
///
/// Like a batch it waits for nobody's lock.
struct ActivityTokenShortcut: Sendable {
    struct Answer: Sendable {
        /// What was done, by the places of the jobs.
        var taken: [Int: ActivityTokenRule.Action]
        /// As `active_matches` holds them.
        var contentStates: [MatchID: String]
    }

    /// In the order of their rows' keys, as in a batch.
    private let jobs: [ActivityTokenJob]
    /// Where each of `jobs` stood.
    private let places: [Int]
    private let matches: [MatchID]

    init(_ jobs: [ActivityTokenJob]) {
        places = ActivityTokenBatch.order(of: jobs)
        self.jobs = places.map { jobs[$0] }
        matches = Set(jobs.map(\.match)).sorted()
    }

    // MARK: - Asking

    /// The locks first, in a statement of their own: what is read afterwards is what those have left who had them before.
    var statements: [PostgresStatement] {
        let users = PostgresValue.textArray(jobs.map(\.user.rawValue))
        let tokens = PostgresValue.textArray(jobs.map(\.request.activityToken.rawValue))
        let matches = PostgresValue.intArray(matches.map(\.rawValue))
        return [
            PostgresStatement(Self.lock, [users, tokens]),
            PostgresStatement(
                Self.take,
                [
                    .intArray(jobs.map(\.match.rawValue)), users, .textArray(jobs.map(\.request.deviceId?.rawValue)),
                    tokens, .textArray(jobs.map(\.request.activityId?.rawValue)),
                    .textArray(jobs.map(\.request.startId?.rawValue)), matches,
                ]),
        ]
    }

    /// Leaves behind, for the transaction, the places of those that somebody else has now, and how to plan.
    private static let lock = """
        SELECT set_config('sightscreen.busy', coalesce((
            SELECT array_agg(r.i)::text FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, token, i)
            WHERE NOT pg_try_advisory_xact_lock(\(AdvisoryLock.user("r.user_id")))
                OR NOT pg_try_advisory_xact_lock(\(AdvisoryLock.token("r.token")))
        ), '{}'), true), \(ActivityTokenBatch.plannerSettings)
        """

    /// Certain is what happens to a phone's first activity of a match in play, while it has not ended, no renewal of it is
    /// out, neither of the ids is another one than that on record, and the token is neither one that was replaced nor
    /// anybody else's. There is no other generation to which it could belong: they are counted from 1.
    ///
    /// The row is written only as it was read: who had to wait for somebody else's change of it leaves it alone. Each part
    /// is looked up by its index for each job, as in a batch; what holds for all jobs is found out once. The server makes
    /// every part of the plan ready for each batch anew, whether it has work for a hundred rows or for none: what few need
    /// is left to the rule.
    ///
    /// The content states are those of when it began: who had to wait for a row may be told the one before the newest.
    private static let take = """
        WITH v AS MATERIALIZED (
            SELECT r.i, r.user_id, r.device_id, r.token, r.activity_id, d.was_seen_lately, l.address,
                l.changed_xid, CASE WHEN l.status = 'pending' THEN 'activate' WHEN l.update_token = r.token THEN 'keep'
                    ELSE 'rotate' END AS action
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
                AS r (match_id, user_id, device_id, token, activity_id, start_id, i)
            CROSS JOIN LATERAL (
                SELECT a.generation, a.status, a.start_id, a.activity_id, a.update_token, a.renewal_start_id,
                    a.activated_at, a.changed_xid, a.ctid AS address, \(ActivityTokenStore.wasFormer("r.token")) AS was_former
                FROM live_activities a
                WHERE a.match_id = r.match_id AND a.user_id = r.user_id AND a.device_id = r.device_id
                ORDER BY a.generation DESC LIMIT 1
            ) l
            CROSS JOIN LATERAL (
                -- Whose activity has begun so recently has a record that was seen then. Null when it has none.
                SELECT CASE WHEN l.activated_at > clock_timestamp() - \(UserDevices.seenInterval) THEN true ELSE (
                    SELECT d.last_seen_at >= clock_timestamp() - \(UserDevices.seenInterval) FROM devices d
                    WHERE d.user_id = r.user_id AND d.device_id = r.device_id
                        AND d.last_seen_at > clock_timestamp() - interval '\(UserDevices.unseenDays) days'
                ) END AS was_seen_lately OFFSET 0
            ) d
            WHERE d.was_seen_lately IS NOT NULL AND l.generation = 1 AND l.renewal_start_id IS NULL AND NOT l.was_former
                AND (l.status = 'active' OR (l.status = 'pending' AND l.update_token IS NULL))
                AND (r.activity_id = l.activity_id) IS NOT FALSE AND (r.start_id = l.start_id) IS NOT FALSE
                -- It is meant; or nothing else can be, and the user follows the match.
                AND (coalesce(r.activity_id, r.start_id) IS NULL OR r.activity_id = l.activity_id
                    OR r.start_id = l.start_id OR r.token = l.update_token OR (
                        SELECT true FROM match_follows f
                        WHERE f.user_id = r.user_id AND f.match_id = r.match_id LIMIT 1))
                AND NOT r.i = ANY ((SELECT current_setting('sightscreen.busy')::bigint[])::bigint[])
                AND r.match_id = ANY (ARRAY(
                    SELECT m.match_id FROM active_matches m WHERE m.match_id = ANY ($7::bigint[]) AND m.ended_at IS NULL))
                AND NOT r.user_id = ANY (ARRAY(\(AccountStore.allDeletedJustNow)))
                -- By the order the planner is told which index: while no end is due, a walk over all of them seems as cheap.
                AND (SELECT true FROM live_activities o
                    WHERE o.update_token BETWEEN r.token AND r.token AND o.end_push = 'due'
                    ORDER BY o.update_token LIMIT 1) IS NULL
                AND CASE WHEN l.update_token = r.token THEN
                    -- Nobody else can have it, too. The activity's name would be news.
                    r.activity_id IS NULL OR l.activity_id IS NOT NULL
                ELSE
                    (SELECT true FROM live_activities o
                        WHERE o.update_token = r.token AND o.status <> 'ended' LIMIT 1) IS NULL
                END
        ), seen AS (
            UPDATE devices d SET last_seen_at = clock_timestamp() FROM v
            WHERE NOT v.was_seen_lately AND d.user_id = v.user_id AND d.device_id = v.device_id
            RETURNING 1
        ), written AS (
            UPDATE live_activities la
            SET status = 'active', \(ActivityTokenStore.rotation),
                activated_at = CASE la.status WHEN 'pending' THEN clock_timestamp() ELSE la.activated_at END,
                start_lease_until = CASE la.status WHEN 'pending' THEN NULL ELSE la.start_lease_until END,
                start_given_up_at = CASE la.status WHEN 'pending' THEN NULL ELSE la.start_given_up_at END,
                activity_id = coalesce(v.activity_id, la.activity_id), changed_xid = pg_current_xact_id()
            FROM v
            WHERE la.ctid = v.address AND la.changed_xid IS NOT DISTINCT FROM v.changed_xid AND v.action <> 'keep'
                -- Devices first, as everybody does: all of them are gone through for the one that is not there.
                AND (SELECT true FROM seen OFFSET 1000000) IS NULL
            RETURNING v.i, v.action
        )
        SELECT i, action, NULL::bigint AS match_id, NULL AS content_state FROM written
        UNION ALL SELECT i, action, NULL, NULL FROM v WHERE action = 'keep'
        UNION ALL SELECT NULL, NULL, match_id, content_state FROM active_matches
            WHERE match_id = ANY ($7::bigint[]) AND content_state IS NOT NULL
        """

    // MARK: - What it did

    /// - Parameter results: of `statements`, committed.
    func answer(_ results: [PostgresResult]) throws -> Answer {
        var answer = Answer(taken: [:], contentStates: [:])
        for row in results[1].rows {
            if let state = try row.optionalString("content_state") {
                answer.contentStates[MatchID(try row.int64("match_id"))] = state
                continue
            }
            let action: ActivityTokenRule.Action =
                switch try row.string("action") {
                case "activate": .activate(generation: 1)
                case "rotate": .rotate(generation: 1)
                default: .keep(generation: 1)
                }
            answer.taken[places[try row.int("i") - 1]] = action
        }
        return answer
    }
}
