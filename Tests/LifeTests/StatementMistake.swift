/// A mistake in a statement of the product, as data: the text that is there and what stands in its place.
struct StatementMistake: Sendable {
    var name: String
    var old: String
    var new: String
    /// Statements that have the text: more than one where they share a fragment.
    var statements: Int

    init(_ name: String, _ old: String, _ new: String, in statements: Int = 1) {
        (self.name, self.old, self.new, self.statements) = (name, old, new, statements)
    }

    static let all: [StatementMistake] = starts + ends + cards + passes + phones + users + tokens

    private static let starts: [StatementMistake] = [
        .init(
            "a start that was given up goes out", "la.start_given_up_at IS NULL AND la.start_attempts < 3",
            "la.start_attempts < 3"),
        .init("tries are not bounded", "la.start_given_up_at IS NULL AND la.start_attempts < 3", "true"),
        .init(
            "a start's lease does not grow", "($4::double precision[])[la.start_attempts + 1]",
            "($4::double precision[])[1]"),
        .init(
            "a renewal's lease does not grow", "($4::double precision[])[la.renewal_attempts + 1]",
            "($4::double precision[])[1]"),
        .init(
            "starts go to phones that forbid them",
            "AND d.push_to_start_token IS NOT NULL AND d.live_activities_enabled\n",
            "AND d.push_to_start_token IS NOT NULL\n", in: 2),
        .init(
            "what is settled is started",
            "m.ended_at IS NULL AND m.settled_at IS NULL\n        AND NOT m.at_stumps AND m.display_state NOT IN ('completed', 'abandoned')",
            "m.ended_at IS NULL", in: 2),
        .init(
            "a start counts that was not processed", "start_attempts = greatest(start_attempts - 1, 0)",
            "start_attempts = start_attempts"),
        .init(
            "a start counts for the day that was not processed", "starts_sent = greatest(starts_sent - 1, 0)",
            "starts_sent = starts_sent", in: 2),
        .init(
            "a start that was not processed is still out",
            "start_sent_at = CASE WHEN starts_sent > 1 THEN start_sent_at END", "start_sent_at = start_sent_at"),
        .init(
            "a renewal that was not processed is still out",
            "renewal_start_id = CASE WHEN renewal_attempts > 1 THEN renewal_start_id END",
            "renewal_start_id = renewal_start_id"),
        .init(
            "an old word retires a start token", "($4::bigint IS NULL OR push_to_start_token_at IS NULL",
            "(true OR push_to_start_token_at IS NULL"),
        .init(
            "a dead start token is forgotten",
            "dead_start_token_hash = encode(sha256(convert_to(token_key(push_to_start_token), 'UTF8')), 'hex')",
            "dead_start_token_hash = NULL"),
        .init(
            "a refused start is tried again", "UPDATE live_activities SET start_given_up_at = clock_timestamp()",
            "UPDATE live_activities SET start_given_up_at = NULL"),
        .init(
            "a refused renewal is tried again", "UPDATE live_activities SET renewal_attempts = 3",
            "UPDATE live_activities SET renewal_attempts = 1"),
    ]

    private static let ends: [StatementMistake] = [
        .init(
            "an end under way is sent beside itself",
            "AND (end_lease_until IS NULL OR end_lease_until <= clock_timestamp())", ""),
        .init(
            "an end is leased for too long", "end_lease_until = clock_timestamp() + $4::double precision",
            "end_lease_until = clock_timestamp() + 2 * $4::double precision"),
        .init(
            "an end that is four hours old is tried again", "THEN 'dropped' ELSE owed.state END",
            "THEN owed.state ELSE owed.state END"),
        .init(
            "a failed end is tried again at once",
            "end_lease_until = clock_timestamp() + owed.delay * interval '1 second'", "end_lease_until = NULL"),
        .init(
            "an end that did not leave keeps its lease", "end_attempts = end_attempts - 1, end_lease_until = NULL",
            "end_attempts = end_attempts - 1"),
        .init(
            "an end counts as sent when it is claimed", "end_attempts = la.end_attempts + 1,",
            "end_attempts = la.end_attempts + 1, end_push = 'sent',"),
    ]

    private static let cards: [StatementMistake] = [
        .init(
            "a dead token starts a new card", "ended_at = clock_timestamp(), card = 'unknown'",
            "ended_at = clock_timestamp(), card = NULL"),
        .init("an absent card stays in question", "THEN NULL ELSE 'gone' END", "THEN NULL ELSE 'unknown' END"),
        .init(
            "a restart does not explain an absent card",
            "OR to_timestamp($5::double precision) > greatest(la.seen_at, la.token_at, la.activated_at)",
            "OR to_timestamp($5::double precision) > clock_timestamp() + interval '1 year'"),
        .init("every absent card is old", "> interval '27000 seconds'", "> interval '1 second'"),
        .init(
            "what iOS took is taken for swiped away", "WHEN one.is_over OR NOT one.live_activities_enabled",
            "WHEN one.is_over"),
        .init(
            "a card in question does not keep another from being started",
            "c.user_id = d.user_id AND c.device_id = d.device_id AND c.card IS NOT NULL",
            "c.user_id = d.user_id AND c.device_id = d.device_id AND false", in: 6),
        .init(
            "a follow does not bring back a card", "WHERE user_id = $1 AND match_id = $2 AND card IS NOT NULL",
            "WHERE user_id = $1 AND match_id = $2 AND false"),
        .init(
            "a card is in question after a sign-out", "WHERE user_id = $1 AND device_id = $2 AND card IS NOT NULL",
            "WHERE user_id = $1 AND device_id = $2 AND false"),
        .init(
            "a phone is asked every minute", "d.reconcile_sent_at <= clock_timestamp() - interval '1 hour'",
            "d.reconcile_sent_at <= clock_timestamp() - interval '1 minute'", in: 3),
        .init(
            "a phone's answer is not heard", "left_at = NULL, reconcile_due_at = NULL,",
            "left_at = NULL, reconcile_due_at = d.reconcile_due_at,"),
    ]

    private static let passes: [StatementMistake] = [
        .init(
            "stumps end nothing", "(m.ended_at IS NOT NULL OR m.at_stumps", "(m.ended_at IS NOT NULL OR false", in: 2),
        .init(
            "a result does not linger", "end_dismissal = 'linger'\n    FROM lease_guard",
            "end_dismissal = 'now'\n    FROM lease_guard"),
        .init("activities outlive eight hours", "interval '28800 seconds'", "interval '36000 seconds'", in: 2),
        .init(
            "what is being renewed ends at eight hours",
            "AND (l.renewal_lease_until IS NULL OR l.renewal_lease_until <= clock_timestamp())", ""),
        .init("renewals are an hour late", "p.age >= $7::double precision", "p.age >= $7::double precision + 3600"),
        .init("rain is taken for a break", "a.display_state <> 'suspended' AND", ""),
        .init(
            "starts are given up after two tries", "AND start_attempts >= $3::int", "AND start_attempts >= $3::int - 1"),
        .init(
            "play goes on at stumps", "WHERE a.settled_at IS NULL AND a.ended_at IS NULL AND NOT a.at_stumps",
            "WHERE a.settled_at IS NULL AND a.ended_at IS NULL"),
        .init("a match that goes on again starts nothing", "AND past.current = 0", "AND past.generation = 0"),
        .init(
            "phones without starts left get records", "AND past.this_hour < $5::int",
            "AND past.this_hour < 10 * $5::int"),
        .init(
            "the same start token gets a second silent push",
            "WHEN 'none' THEN CASE WHEN p.is_spent THEN 'passive' ELSE 'silent' END", "WHEN 'none' THEN 'silent'"),
        .init(
            "two notifications in a day", "CASE WHEN p.was_shown OR NOT p.may_show THEN",
            "CASE WHEN NOT p.may_show THEN"),
        .init(
            "a try that is out is not waited for", "WHERE p.is_lost OR p.fallback_step = 'none' AND NOT p.is_spent",
            "WHERE true"),
        .init("the silent push comes with the third try", "l.start_attempts >= 2", "l.start_attempts >= 3"),
        .init("an older start counts as an answer", "AND l.activated_at > d.fallback_began_at", ""),
        .init(
            "a notification is not noted",
            "visible_push_at = CASE d.fallback_step WHEN 'visible' THEN clock_timestamp() ELSE d.visible_push_at END",
            "visible_push_at = d.visible_push_at"),
        .init(
            "a silent push is not noted", "WHEN 'visible' THEN d.reconcile_sent_at ELSE clock_timestamp() END",
            "WHEN 'visible' THEN d.reconcile_sent_at ELSE d.reconcile_sent_at END"),
    ]

    private static let phones: [StatementMistake] = [
        .init(
            "a start token that had its pushes gets them anew",
            "WHEN d.fallback_token_hash = ANY (v.hashes) THEN", "WHEN false THEN"),
        .init(
            "a new start token is as dead as the last",
            "dead_start_token_hash = CASE WHEN v.is_former THEN d.dead_start_token_hash END",
            "dead_start_token_hash = d.dead_start_token_hash"),
        .init(
            "an older start token wins",
            "push_to_start_token = CASE WHEN v.is_former THEN d.push_to_start_token ELSE v.token END",
            "push_to_start_token = v.token"),
        .init(
            "a registration forgets a start that is out",
            "WHEN start_given_up_at IS NULL AND start_lease_until > clock_timestamp() THEN start_lease_until",
            "WHEN false THEN start_lease_until"),
        .init(
            "a registration leaves used up tries", "(start_given_up_at IS NOT NULL OR start_attempts >= 3)",
            "(start_given_up_at IS NOT NULL)"),
        .init(
            "a phone that forbids keeps what was given up",
            "OR start_given_up_at IS NOT NULL AND match_id <> ALL ($3::bigint[])",
            "OR false AND match_id <> ALL ($3::bigint[])"),
        .init(
            "a lost phone's activities end with the match",
            "SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), end_dismissal = 'now',",
            "SET status = 'ended', end_reason = 'match_end', ended_at = clock_timestamp(), end_dismissal = 'now',"),
    ]

    private static let users: [StatementMistake] = [
        .init(
            "an unfollow sends no end",
            "CASE WHEN status = 'ended' THEN end_push WHEN update_token IS NULL THEN 'none' ELSE 'due' END",
            "CASE WHEN status = 'ended' THEN end_push ELSE 'none' END"),
        .init(
            "a result lingers after an unfollow",
            "ended_at = coalesce(ended_at, clock_timestamp()), end_dismissal = 'now',",
            "ended_at = coalesce(ended_at, clock_timestamp()),"),
        .init(
            "an unfollow is why all ended", "end_reason = coalesce(end_reason, 'user_unfollow')",
            "end_reason = 'user_unfollow'"),
        .init(
            "a local start takes from a lease",
            "greatest(start_lease_until, clock_timestamp() + make_interval(secs => $4::int))",
            "clock_timestamp() + make_interval(secs => $4::int)"),
        .init(
            "a dismissal is an unfollow", "SET status = 'ended', end_reason = 'user_dismissed'",
            "SET status = 'ended', end_reason = 'user_unfollow'"),
        .init(
            "an end goes to what was dismissed", "UPDATE live_activities SET end_push = 'dropped'",
            "UPDATE live_activities SET end_push = 'due'"),
    ]

    private static let tokens: [StatementMistake] = [
        .init(
            "an end goes to the new owner of a token",
            "CASE WHEN la.end_push = 'due' THEN 'dropped' ELSE la.end_push END",
            "la.end_push"),
        .init(
            "a token that moved ends as the match does", "end_reason = coalesce(la.end_reason, 'token_invalid')",
            "end_reason = coalesce(la.end_reason, 'match_end')"),
        .init(
            "a follow does not make what ended old",
            "coalesce(a.ended_at < w.created_at, false) AS ended_before_follow",
            "false AS ended_before_follow"),
        .init(
            "a card with another token is a late one", "a.card IS NOT NULL AS card_may_be_there",
            "false AS card_may_be_there", in: 2),
        .init(
            "a renewal is as old as its token", "AND o.renewal_start_id = v.start_id ORDER BY",
            "AND false ORDER BY", in: 2),
        .init(
            "a card that is there after all is young again",
            "AND o.generation = v.generation - 1 AND o.card IS NOT NULL", "AND false", in: 2),
        .init(
            "a start that was delivered twice is a renewal",
            "AND (v.start_id IS NULL OR v.start_id IS DISTINCT FROM la.start_id)", "", in: 2),
        .init(
            "no late token lets a result linger",
            "coalesce(a.ended_at > clock_timestamp() - make_interval(secs => $2::int), false)",
            "coalesce(a.ended_at > clock_timestamp() + make_interval(secs => $2::int), false)", in: 2),
    ]

    /// Those that only lives with broadcast channels meet.
    static let onChannels: [StatementMistake] = [
        .init("two cards that listen stay", "OR listens AND row_number()", "OR false AND row_number()"),
        .init(
            "a renewal takes a number that is in use", "SELECT max(n.generation) + 1", "SELECT min(n.generation) + 1"),
        .init("an end is published once", "AND c.ends < 13", "AND c.ends < 1"),
        .init(
            "no orphan is old enough", "AND seen_at <= clock_timestamp() - make_interval(secs => $3)", "AND false"),
        .init(
            "a channel of a match that is over goes on", "c.ended_at IS NOT NULL THEN c.end_due_at",
            "true THEN c.end_due_at"),
    ]
}
