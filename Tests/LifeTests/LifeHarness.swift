import Activities
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import Store
@testable import APIGateway
@testable import LACoordinator
@testable import MatchOrchestrator

/// The rows of the differential test, and the statements that each event has. None have: an answer that says nothing, a
/// `matchBecame` (its matches do), and what is only sent (`pushState`).
struct LifeHarness: Sendable {
    static let policy = ModelPolicy()
    static let resultHold = Duration.seconds(300)

    let pool: PostgresPool
    let clock: LifeClock
    let orchestrator: Lease
    var shards: [ShardLease]
    var channelLook: OrchestratorStore.ChannelLook?
    let tokens: ActivityTokenStore
    /// Small, so that a pass takes many batches.
    var store: OrchestratorStore { OrchestratorStore(pool: pool, batchSize: 150) }
    var activities: ActivityStore { ActivityStore(pool: pool) }
    var devices: DeviceStore { DeviceStore(pool: pool) }
    var follows: FollowStore { FollowStore(pool: pool) }

    /// - Returns: the matches' leases, too.
    static func make(
        _ pool: PostgresPool, _ clock: LifeClock, matches: Int, users: [UserID]
    ) async throws -> (LifeHarness, [Lease]) {
        let names = (1...matches).map { LeaseName.match(MatchID(Int64($0))) }
        let held = try await LeaseStore(pool: pool).acquire(
            [.orchestrator] + names + (0..<DeviceRoute.shardCount).map { .shard($0) }, holder: "test/1",
            duration: .seconds(1_000_000))
        let harness = LifeHarness(
            pool: pool, clock: clock, orchestrator: try #require(held.first { $0.name == .orchestrator }),
            shards: held.compactMap { ShardLease($0) },
            // No caller gives up, however busy the machine is.
            tokens: ActivityTokenStore(pool: pool, timeout: .seconds(120)))
        let routes = users.map { DeviceRoute(user: $0, device: LifeCase.device) }
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, device_token)
            SELECT u.user_id, 'phone', u.route, u.shard, 'device-' || u.user_id
            FROM unnest($1::text[], $2::bigint[], $3::int[]) AS u (user_id, route, shard)
            """,
            [
                .textArray(users.map(\.rawValue)), .intArray(routes.map(\.hash)),
                .intArray(routes.map(\.shard)),
            ])
        return (harness, try names.map { name in try #require(held.first { $0.name == name }) })
    }

    /// What the rows say of each user.
    func lines() async throws -> [String: String] {
        var lines: [String: String] = [:]
        for row in try await pool.query(LifeLine.query) {
            lines[try row.string("user_id")] = try row.string("text")
        }
        return lines
    }

    // MARK: - What one event does

    /// What a statement said beside what it wrote, as far as the rule says it, too.
    struct Answer: Sendable {
        var pushesState = false
        var unfollows = false
    }

    func execute(_ event: LifeEvent, of one: LifeCase) async throws -> Answer {
        var answer = Answer()
        switch event {
        case .followed(let startsLocally):
            _ = try await follows.follow(
                FollowRequest(matchId: one.matchID, deviceId: LifeCase.device, startsLocally: startsLocally),
                user: one.user)
        case .unfollowed: try await follows.unfollow(one.matchID, user: one.user)
        case .tokenReported(let token, let activity, let start):
            answer.pushesState = Self.pushesState(
                try await register(token, activity, start, one.matchID, one.user))
        case .tokenTaken(let token):
            try await pool.execute(
                "INSERT INTO match_follows (user_id, match_id) VALUES ($1, $2)",
                [.text(one.thief.rawValue), .int(one.matchID.rawValue)])
            // As long as the phone is its user's, whoever knows its token gets nothing.
            let isTheirs = try await !pool.query(
                """
                SELECT FROM devices JOIN live_activities la USING (user_id, device_id)
                WHERE user_id = $1 AND left_at IS NULL AND last_seen_at > clock_timestamp() - interval '7 days'
                    AND la.update_token = $2 AND (la.status <> 'ended' OR la.end_push = 'due')
                """, [.text(one.user.rawValue), .text(token.rawValue)]
            ).isEmpty
            let action = try await register(token, nil, nil, one.matchID, one.thief)
            #expect((action == .wait) == isTheirs, "\(action)")
            try await pool.execute(
                "UPDATE devices SET left_at = clock_timestamp() WHERE user_id = $1", [.text(one.user.rawValue)])
            _ = try await register(token, nil, nil, one.matchID, one.thief)
            try await pool.execute("UPDATE devices SET left_at = NULL WHERE user_id = $1", [.text(one.user.rawValue)])
            // The rules know of one user: the token is nobody's before it is reported again.
            try await pool.execute("DELETE FROM live_activities WHERE user_id = $1", [.text(one.thief.rawValue)])
            try await pool.execute("DELETE FROM match_follows WHERE user_id = $1", [.text(one.thief.rawValue)])
        case .dismissed(let activity, let token):
            let said = try await tokens.dismiss(
                ActivityDismissedRequest(deviceId: LifeCase.device, activityId: activity, activityToken: token),
                match: one.matchID, user: one.user)
            switch said.action {
            case .unfollow, .unfollowOnly: answer.unfollows = true
            case .record: break
            }
        case .appRegistered(let allows, let cards):
            let activities: [RunningActivity]? = cards.map { report in
                switch report.card {
                case .there: [RunningActivity(matchId: one.matchID)]
                case .absent: []
                case .ended(let activity):
                    [RunningActivity(matchId: one.matchID, activityId: activity, state: .ended)]
                }
            }
            _ = try await devices.register(
                DeviceRegistration(
                    deviceId: LifeCase.device, liveActivitiesEnabled: allows, activities: activities,
                    bootedAt: cards?.bootedAt?.seconds),
                token: .set(DeviceToken("device-\(one.user.rawValue)")), user: one.user)
        case .startTokenReported(let token):
            _ = try await devices.register(
                PushToStartRegistration(pushToStartToken: token, deviceId: LifeCase.device), user: one.user)
        case .phoneLost:
            _ = try await devices.unregister(LifeCase.device.rawValue, user: one.user)
            // The next one to sign in here has a device token, too.
            try await pool.execute(
                "UPDATE devices SET device_token = 'device-' || user_id WHERE user_id = $1", [.text(one.user.rawValue)])
        case .startAnswered(let start, _, let answer):
            guard let claim = one.starts.first(where: { $0.startID == start }) else { break }
            switch answer {
            case .accepted, .unknown: break
            case .notProcessed(let wait): try await activities.releaseStart(claim, after: wait)
            case .refused: try await activities.giveUpStart(claim)
            case .tokenDead(let since): try await activities.retireStartToken(claim, sinceMs: since.milliseconds)
            }
        case .updateAnswered(let token, .tokenDead(let since)):
            // The coordinator judges by the rule, the statement takes that very registration.
            for generation in one.life.generations
            where generation.token == token && DeadTokenRule.isAbout(registered: generation.tokenAt, since: since) {
                let row = try await pool.query(
                    """
                    SELECT extract(epoch FROM token_at)::double precision AS token_at FROM live_activities
                    WHERE match_id = $1 AND user_id = $2 AND generation = $3
                    """, [.int(one.matchID.rawValue), .text(one.user.rawValue), .int(generation.number)])
                guard let tokenAt = try row.first?.double("token_at") else { continue }
                try await activities.retire([.init(match: one.matchID, token: token, tokenAt: tokenAt)])
            }
        case .endAnswered(let token, let answer):
            for claim in one.ends where claim.token == token {
                switch answer {
                case .accepted: try await activities.finishEnd(claim, .sent)
                case .undeliverable: try await activities.finishEnd(claim, .dropped)
                case .notSent: try await activities.releaseEnd(claim)
                case .retry(let wait): try await activities.finishEnd(claim, .retry(after: wait))
                }
            }
        case .updateAnswered, .matchBecame, .passDue, .startDue, .endDue: break
        }
        return answer
    }

    func register(
        _ token: UpdateToken, _ activity: ActivityID?, _ start: StartID?, _ match: MatchID, _ user: UserID
    ) async throws -> ActivityTokenRule.Action {
        let request = ActivityTokenRequest(
            activityToken: token, deviceId: LifeCase.device, activityId: activity, startId: start)
        return try await tokens.register(request, match: match, user: user).action
    }

    private static func pushesState(_ action: ActivityTokenRule.Action) -> Bool {
        switch action {
        case .activate, .rotate, .adopt, .replace: true
        case .keep, .end, .refuse, .pass, .wait: false
        }
    }

    // MARK: - What is done for all at once

    /// Users that have had so many starts lately that they get no other now.
    func sent() async throws -> [String: ModelStarts.Sent] {
        let rows = try await pool.query(
            """
            SELECT user_id, this_hour, this_day FROM (
                SELECT user_id,
                    sum(CASE WHEN start_sent_at > clock_timestamp() - interval '1 hour' THEN start_attempts ELSE 0 END
                        + CASE WHEN renewal_sent_at > clock_timestamp() - interval '1 hour' THEN renewal_attempts
                            ELSE 0 END) AS this_hour,
                    sum(CASE WHEN start_sent_at > clock_timestamp() - interval '1 day'
                        OR renewal_sent_at > clock_timestamp() - interval '1 day' THEN starts_sent ELSE 0 END) AS this_day
                FROM live_activities GROUP BY user_id) AS s
            WHERE this_hour >= 6 OR this_day >= 24
            """)
        var sent: [String: ModelStarts.Sent] = [:]
        for row in rows {
            let day = try row.int("this_day")
            sent[try row.string("user_id")] = ModelStarts.Sent(
                deviceHour: try row.int("this_hour"), deviceDay: day, userDay: day)
        }
        return sent
    }

    /// All that can be claimed now.
    func claimStarts() async throws -> [StartClaim] {
        let lease = StartPolicy().firstLease
        return try await all { isThorough in
            try await activities.claimStarts(shards, limit: 1_000, lease: lease, isThorough: isThorough)
        }
            + all { _ in try await activities.claimRenewals(shards, limit: 1_000, lease: lease) }
    }

    func claimEnds() async throws -> [EndClaim] {
        try await all { _ in try await activities.claimEnds(shards, limit: 1_000) }
    }

    /// Until nothing is left, also behind those in front. What is claimed again and again has no lease.
    private func all<Claim>(_ claim: (_ isThorough: Bool) async throws -> [Claim]) async throws -> [Claim] {
        var (all, isThorough): ([Claim], Bool) = ([], false)
        for _ in 0..<20 {
            let claims = try await claim(isThorough)
            if claims.isEmpty, isThorough { return all }
            all += claims
            isThorough = claims.isEmpty
        }
        throw TestSupportError(description: "what was claimed can be claimed again")
    }

    /// One look of the orchestrator's at everything, in the order of `MatchOrchestrator.runOnce`.
    /// - Returns: the matches that ended, and the silent and visible pushes that left, by user.
    func pass() async throws -> (ended: Set<MatchID>, pushes: [String: Set<StartFallback.Step>]) {
        var over = Set(try await store.endSettledMatches(hold: Self.resultHold, under: orchestrator))
        let off = try await store.calledOffMatches(quiet: Self.resultHold).map(\.matchID)
        try await store.endCalledOffMatches(off, under: orchestrator)
        over.formUnion(off)
        _ = try await store.endActivities(hold: .zero, calledOff: off, under: orchestrator)
        _ = try await store.endUnfollowed(under: orchestrator)
        try await renew()
        _ = try await store.giveUpStarts(under: orchestrator)
        for match in try await store.liveMatches(lead: .zero) {
            _ = try await store.createPending(for: match, under: orchestrator)
        }
        _ = try await store.moveFallbacks(StartFallback(), under: orchestrator)
        try await store.expireFollows(after: .seconds(172_800), under: orchestrator)
        try await store.purge(after: .seconds(172_800), under: orchestrator)
        try await store.purgeDevices(under: orchestrator)
        _ = try await store.eraseDeletedUsers(under: orchestrator)
        var pushes: [String: Set<StartFallback.Step>] = [:]
        for claim in try await all({ _ in try await activities.claimFallbacks(shards, limit: 1_000) }) {
            pushes[claim.userID.rawValue, default: []].insert(claim.step)
        }
        return (over, pushes)
    }

    private func renew() async throws {
        let rule = RenewalRule()
        for (match, isBreak) in try await store.matchesInPlay() {
            _ = try await store.markRenewals(
                of: match, from: isBreak ? rule.afterInBreak : rule.after, under: orchestrator)
        }
        _ = try await store.endOutlived(under: orchestrator)
    }
}

extension Moment? {
    fileprivate var milliseconds: Int64? { map { Int64($0.milliseconds) } }
}

extension FallbackClaim {
    /// What the push is of the ways to a card; silent, too, when it is about what the phone shows or whose it is.
    var step: StartFallback.Step {
        switch purpose {
        case .start(_, let step): step
        case .card, .confirm: .silent
        }
    }
}
