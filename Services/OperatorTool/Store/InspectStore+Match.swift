import Activities
import Postgres
package import SightscreenModels
import Store

extension InspectStore {
    /// Inspects a match. It counts and never lists, because a match may have millions of followers.
    ///
    /// - Returns: nil when nothing is known of the match.
    package func match(_ id: MatchID) async throws -> MatchInspection? {
        // The statements run side by side; each reads the match's rows once.
        async let audienceRows = count(Self.audienceStatement, id)
        async let activityRows = count(Self.activitiesStatement, id)
        async let followerRows = count(
            """
            SELECT count(*) AS followers, count(*) FILTER (WHERE expires_at <= clock_timestamp()) AS expired
            FROM match_follows WHERE match_id = $1::bigint
            """, id)
        let head = try await head(id)
        let leases = try await leases(id)
        let (audience, activities, followers) = try await (audienceRows, activityRows, followerRows)

        let (status, phase) = (head.state, LivePhase(head.facts))
        guard let counts = followers.first else { throw PostgresError(.decoding, "no count of followers") }
        var inspection = MatchInspection(
            matchId: id, now: head.now, phase: phase, fixture: head.fixture, state: status,
            hold: try await HoldStore(pool: pool).all().level(for: id), leases: leases.all,
            shardsHeld: leases.shards, coordinators: leases.coordinators, shardHolders: leases.holders,
            keyless: try await keyless(),
            followers: try counts.int("followers"), followersExpired: try counts.int("expired"),
            followersWithoutPhone: 0, capableDevices: 0, activities: [], pushes: .init(),
            channels: try await count(MatchChannel.statement, id).map(MatchChannel.init),
            alertClaims: try await alertClaims(id), fanOut: try await fanOut(id),
            findings: [], withoutFollower: 0,
            capsCountedFor: nil)
        try Self.add(activities, to: &inspection)
        guard head.fixture != nil || head.state != nil || inspection.followers > 0 || !activities.isEmpty else {
            return nil
        }
        try await judge(audience, &inspection)
        return inspection
    }

    /// Each process writes down which keys it has (`Presence`).
    private func keyless() async throws -> [String] {
        try await pool.query(
            """
            SELECT DISTINCT p.service || ' ' || p.instance || ' on ' || p.host AS name
            FROM token_encryption AS e
            CROSS JOIN LATERAL unnest(e.former_keys || split_part(e.sample, '$', 3)) AS used (key)
            JOIN processes AS p ON NOT EXISTS (
                SELECT FROM unnest(p.token_keys) AS has WHERE split_part(has, ':', 1) = used.key)
            WHERE e.sample IS NOT NULL AND p.token_keys IS NOT NULL AND p.expires_at > clock_timestamp()
            ORDER BY 1
            """
        ).map { try $0.string("name") }
    }

    private static let deadline = Duration.seconds(30)

    /// Runs a counting statement on a connection of its own, which may take longer than services are allowed to: an
    /// operator can wait.
    private func count(_ statement: String, _ id: MatchID, _ more: [PostgresValue] = []) async throws -> [PostgresRow] {
        try await pool.withConnection { connection in
            try await connection.execute("SET statement_timeout = '30s'")
            return try await connection.query(statement, [.int(id.rawValue)] + more, deadline: Self.deadline)
        }
    }

    private struct Head {
        var now: Int
        var facts: LivePhase.Facts
        var fixture: MatchInspection.Fixture?
        var state: MatchInspection.State?
    }

    private func head(_ id: MatchID) async throws -> Head {
        let rows = try await pool.query(
            """
            SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now, f.status,
                f.league_id, f.home_name || ' v ' || f.away_name || ', ' || f.competition AS title,
                coalesce(f.missing_since < f.synced_at, false) AS has_vanished,
                \(Self.seconds("starts_at", of: "f")), \(Self.seconds("synced_at", of: "f")),
                \(Self.seconds("missing_since", of: "f")), m.display_state, m.version, m.stamp, m.at_stumps,
                \(Self.seconds("updated_at", of: "m")), \(Self.seconds("went_live_at", of: "m")),
                \(Self.seconds("suspended_at", of: "m")), \(Self.seconds("settled_at", of: "m")),
                \(Self.seconds("ended_at", of: "m"))
            FROM (SELECT $1::bigint AS match_id) AS id
            LEFT JOIN fixtures AS f USING (match_id) LEFT JOIN active_matches AS m USING (match_id)
            """, [.int(id.rawValue)])
        guard let row = rows.first else { throw PostgresError(.decoding, "no row") }
        let status = try row.optionalString("status")
        let display = try row.optionalString("display_state")
        let (settled, ended) = (try row.optionalInt("settled_at"), try row.optionalInt("ended_at"))
        let isAtStumps = try row.optionalBool("at_stumps") ?? false
        return Head(
            now: try row.int("now"),
            facts: LivePhase.Facts(
                fixtureStatus: status, hasVanished: try row.bool("has_vanished"), displayState: display,
                isAtStumps: isAtStumps, isSettled: settled != nil, isEnded: ended != nil),
            fixture: try status.map {
                MatchInspection.Fixture(
                    status: $0, title: try row.string("title"), leagueId: try row.optionalInt("league_id"),
                    startsAt: try row.optionalInt("starts_at"), syncedAt: try row.int("synced_at"),
                    missingSince: try row.optionalInt("missing_since"))
            },
            state: try display.map {
                MatchInspection.State(
                    displayState: $0, version: try row.int("version"), stamp: try row.int("stamp"),
                    updatedAt: try row.int("updated_at"), wentLiveAt: try row.optionalInt("went_live_at"),
                    suspendedAt: try row.optionalInt("suspended_at"), isAtStumps: isAtStumps, settledAt: settled,
                    endedAt: ended)
            })
    }

    private struct Leases {
        var all: [MatchInspection.LeaseHolder] = []
        var holders: [MatchInspection.ShardHolder] = []
        var shards: Int { holders.reduce(0) { $0 + $1.shards } }
        var coordinators: Int { holders.count { $0.shards > 0 } }
    }

    /// The time, in seconds, after which a poll group that was not polled counts as removed from the settings.
    private static let pollsKept = 86_400

    private func leases(_ id: MatchID) async throws -> Leases {
        let rows = try await pool.query(
            """
            SELECT name, holder, epoch, split_part(name, ':', 1) AS kind, ceil(extract(epoch FROM CASE
                WHEN isfinite(expires_at) THEN greatest(expires_at - clock_timestamp(), interval '-1 day')
                ELSE interval '-1 day' END))::bigint AS seconds_left
            FROM leases
            WHERE name IN ('orchestrator', 'match:' || $1::bigint)
                OR split_part(name, ':', 1) IN ('poll', 'shard', 'shard-keeper')
            ORDER BY name
            """, [.int(id.rawValue)])
        var found = Leases()
        var coordinators: [String: MatchInspection.ShardHolder] = [:]
        for row in rows {
            let lease = MatchInspection.LeaseHolder(
                name: try row.string("name"), holder: try row.string("holder"), epoch: try row.int("epoch"),
                secondsLeft: try row.int("seconds_left"))
            switch try row.string("kind") {
            case let kind where kind.hasPrefix("shard"):
                guard lease.secondsLeft > 0 else { continue }
                let known = coordinators[lease.holder]
                coordinators[lease.holder] = .init(
                    holder: lease.holder, shards: (known?.shards ?? 0) + (kind == "shard" ? 1 : 0),
                    secondsLeft: min(known?.secondsLeft ?? .max, lease.secondsLeft))
            case "poll" where lease.secondsLeft <= -Self.pollsKept: continue
            default: found.all.append(lease)
            }
        }
        found.holders = coordinators.values.sorted { ($1.shards, $0.holder) < ($0.shards, $1.holder) }
        return found
    }

    private func alertClaims(_ id: MatchID) async throws -> [MatchInspection.AlertClaim] {
        let rows = try await pool.query(
            """
            SELECT alert_version, count(*) FILTER (WHERE bucket < bucket_count) AS buckets,
                count(*) FILTER (WHERE bucket >= bucket_count) AS channels, max(bucket_count) AS bucket_count,
                count(DISTINCT holder) AS holders, floor(extract(epoch FROM max(claimed_at)))::bigint AS claimed_at
            FROM alert_claims WHERE match_id = $1 GROUP BY alert_version ORDER BY alert_version DESC LIMIT 5
            """, [.int(id.rawValue)])
        return try rows.map {
            MatchInspection.AlertClaim(
                version: try $0.int("alert_version"), buckets: try $0.int("buckets"),
                channels: try $0.int("channels"), bucketCount: try $0.int("bucket_count"),
                holders: try $0.int("holders"),
                claimedAt: try $0.int("claimed_at"))
        }
    }

    private func fanOut(_ id: MatchID) async throws -> [FanOutProgress] {
        let rows = try await pool.query(
            """
            SELECT coordinator, version, targeted, sent, accepted, superseded, failed::text AS failed, first_ms, last_ms,
                (extract(epoch FROM clock_timestamp() - behind_since) * 1000)::bigint AS behind_ms,
                \(Self.seconds("updated_at", of: "p"))
            FROM fanout_progress AS p WHERE match_id = $1 ORDER BY version DESC, coordinator LIMIT 100
            """, [.int(id.rawValue)])
        return try rows.map { row in
            FanOutProgress(
                match: id, coordinator: try row.string("coordinator"), version: try row.int("version"),
                targeted: try row.int("targeted"), sent: try row.int("sent"), accepted: try row.int("accepted"),
                superseded: try row.int("superseded"),
                failed: try FanOutProgress.failed(try row.string("failed")),
                firstMs: try row.optionalInt("first_ms"), lastMs: try row.optionalInt("last_ms"),
                behindMs: try row.optionalInt("behind_ms"),
                updatedAt: try row.int("updated_at"))
        }
    }

    private static func add(_ rows: [PostgresRow], to inspection: inout MatchInspection) throws {
        for row in rows {
            let (count, status) = (try row.int("count"), try row.string("status"))
            let reason = try row.optionalString("end_reason")
            if let known = inspection.activities.firstIndex(where: { $0.status == status && $0.endReason == reason }) {
                inspection.activities[known].count += count
            } else {
                inspection.activities.append(.init(status: status, endReason: reason, count: count))
            }
            if try row.bool("is_renewing") { inspection.pushes.renewalsDue += count }
            switch try row.string("end_push") {
            case "due": inspection.pushes.endsOwed += count
            case "dropped": inspection.pushes.endsDropped += count
            default: break
            }
            guard case .pending(let hasTried, let isLeased, let isGivenUp) = try record(row) else { continue }
            if isGivenUp {
                inspection.pushes.startsGivenUp += count
            } else if isLeased {
                if hasTried { inspection.pushes.startsOut += count } else { inspection.pushes.startsLocal += count }
            } else {
                inspection.pushes.startsToSend += count
            }
        }
    }

    private func judge(_ audience: [PostgresRow], _ inspection: inout MatchInspection) async throws {
        var findings: [ActivityFinding: Int] = [:]
        var current = 0
        var waiting: [Bool: Int] = [:]
        for row in audience {
            let count = try row.int("count")
            guard let isEnabled = try row.optionalBool("is_enabled") else {
                inspection.followersWithoutPhone += count
                continue
            }
            let phone = ActivityCase(
                phase: inspection.phase, follow: try row.bool("is_expired") ? .expired : .current,
                isEnabled: isEnabled, hasStartToken: try row.bool("has_token"), record: try Self.record(row),
                isHeld: inspection.hold == .pushes)
            if phone.isEnabled, phone.hasStartToken { inspection.capableDevices += count }
            if phone.record != .none { current += count }
            if case .pending = phone.record, [.noStartToken, .notAllowed].contains(phone.finding) {
                // The start waits, but not for a coordinator.
                inspection.pushes.startsToSend -= count
            }
            findings[phone.finding, default: 0] += count
            if [.startDue, .held, .madeNextPass].contains(phone.finding) {
                waiting[phone.record != .none, default: 0] += count
            }
        }
        let all = inspection.activities.reduce(0) { $0 + ($1.status == "ended" ? 0 : $1.count) }
        inspection.withoutFollower = max(0, all - current)
        if !waiting.isEmpty { try await judgeCaps(waiting, &findings, &inspection) }
        inspection.findings = findings.map { .init(finding: $0.key, count: $0.value) }
            .sorted { ($0.count, $1.finding.rawValue) > ($1.count, $0.finding.rawValue) }
    }
    /// Finds the activities that would be made or sent now if no cap were reached.
    private func judgeCaps(
        _ waiting: [Bool: Int], _ findings: inout [ActivityFinding: Int], _ inspection: inout MatchInspection
    ) async throws {
        let rows = try await count(
            Self.capsStatement, inspection.matchId, [.int(Self.capsLookedAtMax)])
        var lookedAt = 0
        for row in rows {
            let count = try row.int("count")
            lookedAt += count
            guard let cap = try row.optionalString("cap").flatMap(ActivityCase.Cap.init) else { continue }
            var phone = ActivityCase(
                phase: inspection.phase, follow: .current, isEnabled: true, hasStartToken: true,
                record: try row.bool("has_record")
                    ? .pending(hasTried: false, isLeased: false, isGivenUp: false) : .none,
                isHeld: inspection.hold == .pushes)
            let uncapped = phone.finding
            phone.cap = cap
            findings[uncapped, default: 0] -= count
            findings[phone.finding, default: 0] += count
        }
        findings = findings.filter { $0.value > 0 }
        if lookedAt < waiting.values.reduce(0, +) { inspection.capsCountedFor = lookedAt }
    }
}
