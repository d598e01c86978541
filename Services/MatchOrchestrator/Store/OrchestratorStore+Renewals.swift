import Activities
import Postgres
package import SightscreenModels
package import Store

extension OrchestratorStore {
    /// The result of a search for a match's old activities.
    package struct Renewals: Sendable, Equatable {
        /// The number of activities that became due now.
        package var marked = 0
        /// The age of the oldest activity that is not due, or waits for a ball; nil without one.
        package var oldest: Duration?
    }

    /// Returns the matches in play, and for each whether it is in a break in which activities are best renewed.
    package func matchesInPlay() async throws -> [MatchID: Bool] {
        // A suspension is no such break, because rain may end at any moment.
        let rows = try await pool.query(
            """
            SELECT a.match_id, a.display_state <> 'suspended' AND \(LiveMatch.isBreak) AS is_break
            FROM active_matches a \(LiveMatch.newestVersion) WHERE \(LiveMatch.condition)
            """)
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (MatchID(try $0.int64("match_id")), try $0.bool("is_break")) })
    }

    /// Marks the activities of a match that are at least `age` old as due for renewal, if a ball was bowled since they
    /// began: nobody is told anew of a match in which nothing happens. The coordinators renew them as fast as starts may
    /// be sent.
    package func markRenewals(of match: MatchID, from age: Duration, under lease: Lease) async throws -> Renewals {
        var found = Renewals()
        // The pages follow the index of activities that have not ended.
        var last = ("", "")
        while true {
            let rows = try await pool.query(
                Self.markStatement,
                lease.parameters + [
                    .int(match.rawValue), .text(last.0), .text(last.1), .int(batchSize), age.parameter,
                ])
            try lease.check(rows)
            guard let row = rows.first else { return found }
            found.marked += try row.int("marked")
            if let oldest = try row.optionalDouble("oldest") {
                found.oldest = max(found.oldest ?? .zero, .seconds(oldest))
            }
            guard try row.int("seen") == batchSize, let user = try row.optionalString("last_user"),
                let device = try row.optionalString("last_device")
            else { return found }
            last = (user, device)
        }
    }

    /// Ends the activities of matches in play that iOS has ended because of their age and that have no successor. Then
    /// they are missing and started like others. An activity whose renewal may still appear is left alone. One that is
    /// only shown because its result is announced stays until the match ends.
    package func endOutlived(under lease: Lease) async throws -> Changes {
        try await repeated(
            lease,
            Self.endStatement(
                picking: """
                    SELECT l.match_id, l.user_id, l.device_id, l.generation FROM live_activities AS l
                    WHERE l.status = 'active' AND l.renewal_due_at IS NOT NULL
                        AND EXISTS (
                            SELECT 1 FROM active_matches AS a WHERE a.match_id = l.match_id AND \(LiveMatch.condition))
                        AND \(ActivityAge.began("l")) <= clock_timestamp()
                            - \(StartFallbackSQL.seconds(RenewalRule.activityLife))
                        AND (l.renewal_lease_until IS NULL OR l.renewal_lease_until <= clock_timestamp())
                    """, reason: "match_end", dismissal: "now"), [.int(batchSize)])
    }

    private static let markStatement = """
        WITH \(LeaseGuard.sql(name: 1, epoch: 2)), page AS MATERIALIZED (
            SELECT l.user_id, l.device_id, l.generation, l.status = 'active' AND l.renewal_due_at IS NULL AS is_open,
                extract(epoch FROM clock_timestamp() - \(ActivityAge.began("l")))::double precision AS age,
                coalesce(\(ActivityAge.began("l")) < ball.last_ball_at, true) AS has_ball
            FROM live_activities AS l
            LEFT JOIN active_matches AS ball ON ball.match_id = l.match_id
            WHERE l.match_id = $3::bigint AND l.status <> 'ended' AND (l.user_id, l.device_id) > ($4::text, $5::text)
            ORDER BY l.user_id, l.device_id LIMIT $6::bigint
        ), marked AS (
            UPDATE live_activities AS l SET renewal_due_at = clock_timestamp() FROM lease_guard, page AS p
            WHERE l.match_id = $3 AND l.user_id = p.user_id AND l.device_id = p.device_id
                AND l.generation = p.generation AND l.status = 'active' AND l.renewal_due_at IS NULL
                AND p.is_open AND p.has_ball AND p.age >= $7::double precision
            RETURNING 1
        ), last AS (SELECT user_id, device_id FROM page ORDER BY user_id DESC, device_id DESC LIMIT 1)
        SELECT EXISTS (SELECT 1 FROM lease_guard) AS held, (SELECT count(*) FROM page) AS seen,
            (SELECT count(*) FROM marked) AS marked,
            (SELECT max(age) FROM page WHERE is_open AND (age < $7 OR NOT has_ball)) AS oldest,
            (SELECT user_id FROM last) AS last_user, (SELECT device_id FROM last) AS last_device
        """
}
