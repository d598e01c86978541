import Activities
import SightscreenModels

/// A life as text, from the rule's value and from the rows, to be compared.
enum LifeLine {
    /// The rule's.
    static func text(_ life: LifeModel, _ now: Moment) -> String {
        let phone = life.phone
        let fallback = phone.fallback
        let isSpent = fallback.spentToken != nil && fallback.spentToken == (phone.startToken ?? phone.deadStartToken)
        var lines = [
            "follow \(life.followedAt.seconds)",
            """
            phone \(phone.allowsActivities) token \(phone.startToken.text) \
            since \((phone.startToken == nil ? nil : phone.startTokenAt).seconds) dead \(phone.startTokenIsDead) \
            fallback \(fallback.step.rawValue) since \((fallback.step == .none ? nil : fallback.since).seconds) \
            spent \(isSpent) visible \(fallback.visibleAt.seconds) \
            asks \(phone.reconcile.isDue) \(phone.reconcile.sentAt.seconds)
            """,
        ]
        for generation in life.generations.reversed() { lines.append(text(generation, now)) }
        return lines.joined(separator: "\n")
    }

    private static func text(_ one: ModelGeneration, _ now: Moment) -> String {
        var words = [
            "#\(one.number) \(one.status.rawValue) \(one.reason?.rawValue ?? "-") made \(Optional(one.createdAt).seconds)",
            "ended \(one.endedAt.seconds) start \(one.startID.text) renewal \(one.renewalStartID.text)",
            "activity \(one.activityID.text) token \(one.token.text) since \(one.tokenAt.seconds)",
        ]
        let start = one.start
        switch one.status {
        case .pending: words.append("up \(start.givenUpAt.seconds) all \(start.sent)")
        case .active: words.append("shown \(one.shownSince.seconds) old \(one.isToBeRenewed)")
        case .ended: words.append("card \(one.card?.rawValue ?? "-")")
        }
        words.append("seen \(one.seenAt.seconds)")
        if one.status != .ended {
            words.append("tries \(start.tries) sent \(start.sentAt.seconds) lease \(start.leaseUntil.seconds)")
        }
        switch one.endPush {
        case .none: words.append("end none")
        case .due(let dismissal, let lease):
            words.append("end due \(dismissal) lease \((lease.map { $0 > now } == true ? lease : nil).seconds)")
        case .sent: words.append("end sent")
        case .dropped: words.append("end dropped")
        }
        return words.joined(separator: " ")
    }

    /// The rows', one text for each user.
    static let query = """
        SELECT d.user_id, concat_ws(E'\\n', 'follow ' || \(seconds("f.created_at")), concat_ws(' ',
            'phone', d.live_activities_enabled::text, 'token', coalesce(d.push_to_start_token, '-'), 'since',
            \(seconds("CASE WHEN d.push_to_start_token IS NOT NULL THEN d.push_to_start_token_at END")), 'dead',
            (d.dead_start_token_hash IS NOT NULL)::text, 'fallback', d.fallback_step, 'since',
            \(seconds("CASE WHEN d.fallback_step <> 'none' THEN d.fallback_at END")), 'spent',
            coalesce(d.fallback_token_hash = coalesce(
                encode(sha256(convert_to(d.push_to_start_token, 'UTF8')), 'hex'), d.dead_start_token_hash), false)::text,
            'visible', \(seconds("d.visible_push_at")),
            'asks', (d.reconcile_due_at IS NOT NULL)::text, \(seconds("d.reconcile_sent_at"))), l.lines) AS text
        FROM devices d LEFT JOIN match_follows f USING (user_id)
        LEFT JOIN LATERAL (
            SELECT string_agg(concat_ws(' ', '#' || a.generation, a.status, coalesce(a.end_reason, '-'),
                'made', \(seconds("a.created_at")), 'ended', \(seconds("a.ended_at")), 'start', coalesce(a.start_id, '-'),
                'renewal', coalesce(a.renewal_start_id, '-'), 'activity', coalesce(a.activity_id, '-'),
                'token', coalesce(a.update_token, '-'), 'since', \(seconds("a.token_at")),
                CASE a.status
                    WHEN 'pending' THEN concat_ws(' ', 'up', \(seconds("a.start_given_up_at")),
                        'all', a.starts_sent, 'seen', \(seconds("a.seen_at")),
                        'tries', a.start_attempts, 'sent', \(seconds("a.start_sent_at")),
                        'lease', \(seconds("a.start_lease_until")))
                    WHEN 'active' THEN concat_ws(' ', 'shown',
                        \(seconds("coalesce(a.start_sent_at, a.activated_at, a.created_at)")),
                        'old', (a.renewal_due_at IS NOT NULL)::text, 'seen', \(seconds("a.seen_at")),
                        'tries', a.renewal_attempts,
                        'sent', \(seconds("coalesce(a.renewal_sent_at, a.start_sent_at)")),
                        'lease', \(seconds("a.renewal_lease_until")))
                    WHEN 'ended' THEN concat_ws(' ', 'card', coalesce(a.card, '-'), 'seen', \(seconds("a.seen_at"))) END,
                'end', a.end_push, CASE WHEN a.end_push = 'due' THEN concat_ws(' ', a.end_dismissal, 'lease',
                    \(seconds("CASE WHEN a.end_lease_until > clock_timestamp() THEN a.end_lease_until END"))) END
                ), E'\\n' ORDER BY a.generation) AS lines
            FROM live_activities a WHERE a.user_id = d.user_id AND a.device_id = d.device_id
        ) l ON true
        WHERE d.user_id LIKE 'user%'
        """

    private static func seconds(_ expression: String) -> String {
        "coalesce(extract(epoch FROM \(expression))::bigint::text, '-')"
    }
}

extension Moment? {
    fileprivate var seconds: String { map { "\($0.seconds)" } ?? "-" }
}
extension StartID? {
    fileprivate var text: String { self?.rawValue ?? "-" }
}
extension ActivityID? {
    fileprivate var text: String { self?.rawValue ?? "-" }
}
extension UpdateToken? {
    fileprivate var text: String { self?.rawValue ?? "-" }
}
extension PushToStartToken? {
    fileprivate var text: String { self?.rawValue ?? "-" }
}
