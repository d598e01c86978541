import Activities

/// The SQL for cards whose tokens have died; the rule is `MissingCard`.
package enum MissingCardSQL {
    /// A condition: the newest generation of a match on a phone is such a card, so that no activity is started
    /// automatically.
    package static func isMissing(match: String, user: String, device: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM live_activities AS c
            WHERE c.match_id = \(match) AND c.user_id = \(user) AND c.device_id = \(device) AND c.card IS NOT NULL
                AND \(isNewest("c")))
        """
    }

    /// A condition on a row of `live_activities`: the phone has had no newer generation of the match.
    package static func isNewest(_ row: String) -> String {
        """
        NOT EXISTS (
            SELECT 1 FROM live_activities AS n
            WHERE n.match_id = \(row).match_id AND n.user_id = \(row).user_id AND n.device_id = \(row).device_id
                AND n.generation > \(row).generation OFFSET 0)
        """
    }

    /// A condition on a row `d` of `devices`: it may be asked about its cards. The bound is once an hour, beside the
    /// pushes with nonces (`PhoneClaimSQL.pushesMax`), which another user can cause and which take nothing of it. Apple
    /// delivers few silent pushes, and fewer to an app that gets many.
    package static let mayAsk = """
        (d.reconcile_sent_at IS NULL OR d.reconcile_sent_at <= clock_timestamp() - interval '1 hour')
        """

    /// The assignments when a phone is asked about its cards.
    package static let asked = "reconcile_due_at = NULL, reconcile_sent_at = clock_timestamp()"
    /// The assignment when that push has certainly not been sent. The one before was over an hour ago, and need not be
    /// remembered.
    package static let notAsked = "reconcile_sent_at = NULL"

    /// Records what a phone that is awake (`$1`, `$2`) reports: the cards it shows, of the matches `$3`, last seen at
    /// `$4` (seconds; null: now), its last restart `$5`, and the ids `$6` of the cards that the app or the system has
    /// ended. A card whose token has died is then there, and its token is on the way; or lost, and a new generation is
    /// due at once; or gone, and none is due (`MissingCard`). A card that was ended is lost, whether or not APNs has
    /// called its token dead yet.
    package static let explain = """
        UPDATE live_activities AS la SET
            seen_at = CASE WHEN r.match_id IS NOT NULL THEN
                greatest(la.seen_at, least(coalesce(to_timestamp(r.seen), clock_timestamp()), clock_timestamp()))
                ELSE la.seen_at END,
            status = CASE WHEN one.is_over OR one.is_absent THEN 'ended' ELSE la.status END,
            end_reason = CASE WHEN one.is_over OR one.is_absent THEN coalesce(la.end_reason, 'token_invalid')
                ELSE la.end_reason END,
            ended_at = CASE WHEN one.is_over OR one.is_absent THEN coalesce(la.ended_at, clock_timestamp())
                ELSE la.ended_at END,
            card = CASE WHEN one.card IS NULL THEN NULL WHEN r.match_id IS NOT NULL THEN 'unknown'
                -- Forbidden: iOS has taken all away.
                WHEN one.is_over OR NOT one.live_activities_enabled
                    -- A start that APNs took, or may have taken, and that may never have appeared: no phone has shown
                    -- the card.
                    OR la.activity_id IS NULL AND la.seen_at IS NULL AND la.token_at IS NULL
                    OR to_timestamp($5::double precision) > greatest(la.seen_at, la.token_at, la.activated_at)
                    OR coalesce(la.ended_at, clock_timestamp()) - \(ActivityAge.began("la")) > \(StartFallbackSQL.seconds(MissingCard.oldAge))
                THEN NULL ELSE 'gone' END
        FROM (
            SELECT l.match_id, l.user_id, l.device_id, l.generation, l.status, d.live_activities_enabled,
                CASE WHEN \(isAbsent) THEN 'unknown' ELSE l.card END AS card, \(isAbsent) AS is_absent,
                l.activity_id = ANY ($6::text[]) IS TRUE AND l.match_id <> ALL ($3::bigint[]) AS is_over
            FROM devices AS d JOIN live_activities AS l ON l.user_id = d.user_id AND l.device_id = d.device_id
            WHERE d.user_id = $1 AND d.device_id = $2 AND (l.status = 'active' OR l.card IS NOT NULL)
                AND \(isNewest("l"))
        ) AS one LEFT JOIN (
            SELECT match_id, max(seen) AS seen FROM unnest($3::bigint[], $4::double precision[]) AS u (match_id, seen)
            GROUP BY match_id
        ) AS r ON r.match_id = one.match_id
        WHERE (r.match_id IS NOT NULL OR one.card = 'unknown' OR one.is_over)
            AND la.match_id = one.match_id AND la.user_id = one.user_id AND la.device_id = one.device_id
            AND la.generation = one.generation
        """

    /// A condition on a row `l` of an activity: it listens to a channel, and the phone does not show it (`$3`). There
    /// is no token that could be called dead, so the phone's word alone tells. A start may take its time to appear.
    private static let isAbsent = """
        (l.status = 'active' AND l.channel_id IS NOT NULL AND l.match_id <> ALL ($3::bigint[])
            AND l.activated_at < clock_timestamp() - interval '2 minutes')
        """

    /// Selects the followed matches in play whose card is gone from a phone (`$1`, `$2`).
    package static let gone = """
        SELECT c.match_id FROM live_activities AS c
        JOIN match_follows AS f ON f.user_id = c.user_id AND f.match_id = c.match_id
        JOIN active_matches AS a ON a.match_id = c.match_id
        WHERE c.user_id = $1 AND c.device_id = $2 AND c.card = 'gone' AND \(isNewest("c")) AND \(LiveMatch.condition)
        ORDER BY c.match_id
        """

    /// Evaluates the cards that a phone (`$1`, `$2`) shows, of the matches `$3` with the ids `$4`, the starts `$5` and the
    /// channels `$7`, and 1 for those that can be updated, `$8`. It returns those that should not be there, because the match is not followed, has been over for
    /// longer than `$6` seconds, or the card has ended; and those whose token is wanted anew, because APNs called the
    /// last one dead, or it is not known. No push can end one of two cards that listen to channels: of those only the one stays that is the
    /// newest as far as the records tell, or else is on the follow's channel.
    package static let judge = """
        SELECT activity_id, is_wanted, is_over OR listens AND row_number() OVER (
            PARTITION BY match_id ORDER BY is_over OR NOT is_there, rank, place DESC) > 1 AS is_over
        FROM (
            SELECT r.match_id, r.activity_id, r.place, r.there = 1 AS is_there, r.there = 1 AND r.channel IS NOT NULL AS listens,
                coalesce(named.is_wanted, false) AS is_wanted,
                CASE WHEN arrived.generation IS NOT NULL THEN 0 WHEN named.status = 'active' THEN 1
                    WHEN named.status IS NOT NULL THEN 2 WHEN own.channel_id IS NOT NULL THEN 3 ELSE 4 END AS rank,
                w.user_id IS NULL
                OR CASE WHEN a.match_id IS NULL THEN coalesce(\(FixtureSQL.isOver("f.status")), false)
                    ELSE coalesce(a.ended_at <= clock_timestamp() - make_interval(secs => $6::int), false) END
                OR coalesce(named.status = 'ended' AND NOT named.is_wanted AND NOT named.lingers, false) AS is_over
            FROM (
                SELECT DISTINCT ON (match_id, activity_id) *
                FROM unnest($3::bigint[], $4::text[], $5::text[], $7::text[], $8::int[]) WITH ORDINALITY
                    AS listed (match_id, activity_id, start_id, channel, there, place)
                WHERE activity_id IS NOT NULL
            ) AS r
            LEFT JOIN match_follows AS w ON w.user_id = $1 AND w.match_id = r.match_id
            LEFT JOIN active_matches AS a ON a.match_id = r.match_id
            LEFT JOIN fixtures AS f ON f.match_id = r.match_id
            LEFT JOIN LATERAL (
                SELECT l.status, l.card IS NOT NULL AND \(isNewest("l")) AS is_wanted,
                    l.end_dismissal = 'linger' AND l.ended_at > clock_timestamp() - make_interval(secs => $6::int)
                        AS lingers
                FROM live_activities AS l
                WHERE l.match_id = r.match_id AND l.user_id = $1 AND l.device_id = $2
                    AND (l.activity_id = r.activity_id OR l.activity_id IS NULL AND l.start_id = r.start_id
                        -- It is not known any more, because the database went back: its start, or that it took the place
                        -- of the one whose token is dead.
                        OR l.card IS NOT NULL AND \(isNewest("l")) AND (l.activity_id IS NULL AND l.token_at IS NULL
                            OR r.channel IS NULL AND NOT EXISTS (
                                SELECT FROM live_activities AS k
                                WHERE k.match_id = r.match_id AND k.user_id = $1 AND k.device_id = $2
                                    AND (k.activity_id = r.activity_id OR k.start_id = r.start_id))))
                ORDER BY coalesce(l.activity_id = r.activity_id OR l.start_id = r.start_id, false) DESC,
                    l.generation DESC
                LIMIT 1
            ) AS named ON true
            -- A renewal that has arrived, before its answer is written.
            LEFT JOIN live_activities AS arrived ON arrived.match_id = r.match_id AND arrived.user_id = $1
                AND arrived.device_id = $2 AND arrived.status = 'active' AND arrived.renewal_start_id = r.start_id
            LEFT JOIN broadcast_channels AS own ON own.match_id = r.match_id AND own.channel_id = r.channel
                AND own.environment = (SELECT environment FROM devices WHERE user_id = $1 AND device_id = $2)
                AND own.class = \(ChannelSQL.audience("w.alerts")) AND \(ChannelSQL.isOpen("own"))
        ) AS judged
        """
}
