import Activities
import Postgres
import SightscreenModels
import Store
import Tokens

/// Registers activity tokens, one or many, in one transaction: the facts that `ActivityTokenRule` needs are read for
/// all at once, and its decisions are written for all at once.
///
/// It does not wait for users and tokens that another transaction has locked, and only 200 ms for a row. Those
/// requests, and records that changed between reading and writing, are retried a little later.
struct ActivityTokenBatch: Sendable {
    typealias Outcome = Batcher<ActivityTokenJob, ActivityTokenStore.Registered>.Outcome
    /// The facts that the statements found out about one job.
    struct Facts: Sendable {
        /// The phone; nil if the request names none and the user has none or several.
        var device: DeviceID?
        /// Whether the phone was seen within the last hour; nil if it has no record, or one that may be purged at any
        /// moment because it was unseen for so long.
        var wasSeenLately: Bool?
        var isFollowed = false
        /// Whether the account was deleted a moment ago.
        var isDeleted = false
        /// The present holder of this token.
        var holder = ActivityTokenRule.Holder.nobody
        /// Whether the token's holder comes earlier in this batch: that job may report the token that replaces this
        /// one.
        var holderGoesFirst = false
        /// Whether the token stands as a phone's device or start token, and whether APNs has accepted it as such.
        var isOfAnotherKind = false, isProvenAsAnotherKind = false
        /// The generations on the phone, newest first.
        var records: [Record] = []
    }

    struct Record: Sendable {
        var generation: ActivityGeneration
        /// The row's transaction id; every change of the row changes it.
        var mark: String
        /// The row's place in the table (`ctid`), valid until the row is changed.
        var address: String
    }

    struct Match: Sendable {
        var isKnown: Bool
        var isOver: Bool
        var lingers: Bool
        var contentState: String?
    }

    /// The decisions, made before it is known whether the rows are still as they were read.
    struct Plan: Sendable {
        enum Decision: Sendable {
            case retry
            case deviceRequired
            case accountDeleted
            case tokenOfAnotherKind
            case withoutRecord(DeviceID)
            /// - Parameter writes: whether a row must have been written for it; the job is retried if none was.
            case decided(ActivityTokenRule.Action, writes: Bool)
        }
        var decisions: [Decision]
        var matches: [MatchID: Match]
        /// The kind of change that each statement writes, in the order of the statements.
        var writes: [ActivityTokenWrite.Kind]
    }

    /// The jobs in the order of their rows' keys. Other transactions go through the table in the same order, so two of
    /// them seldom wait for each other's rows.
    private let jobs: [ActivityTokenJob]
    /// The index of each of `jobs` in the batch as it was given.
    private let places: [Int]
    private let matches: [MatchID]
    private let vault: TokenVault
    /// The lookup keys of each job's token.
    private let keys: [TokenVault.Keys]
    /// The time in seconds that a finished match stays on a Lock Screen (`DISMISS_AFTER`).
    private let dismissAfter: Int
    private let security: SecurityLog

    init(
        _ jobs: [ActivityTokenJob], _ vault: TokenVault, dismissAfter: Int, security: SecurityLog = .off
    ) throws {
        places = jobs.indices.sorted { (jobs[$0].match, jobs[$0].user) < (jobs[$1].match, jobs[$1].user) }
        let inOrder = places.map { jobs[$0] }
        self.jobs = inOrder
        self.vault = vault
        keys = try inOrder.map { try vault.keys(of: $0.request.activityToken.rawValue) }
        matches = Set(jobs.map(\.match)).sorted()
        self.dismissAfter = dismissAfter
        self.security = security
    }

    // MARK: - Reading

    /// The statements that read. The locks come first, in a statement of their own, so that the later ones see what
    /// transactions that held the locks before have committed.
    var reading: [PostgresStatement] {
        let users = PostgresValue.textArray(jobs.map(\.user.rawValue))
        let lookups = PostgresValue.textArray(keys.map(\.lookup))
        return [
            PostgresStatement(Self.asPlannedOnce),
            PostgresStatement(Self.lock, [users, lookups]),
            PostgresStatement(
                Self.readFacts,
                [
                    .intArray(jobs.map(\.match.rawValue)), users, .textArray(jobs.map(\.request.deviceId?.rawValue)),
                    lookups,
                ]),
            PostgresStatement(Self.readOwners, [lookups]),
            PostgresStatement(ActivityTokenStore.situations, [.intArray(matches.map(\.rawValue)), .int(dismissAfter)]),
            PostgresStatement(TokenVault.state),
        ] + TokenKind.allCases.map { PostgresStatement($0.standing, [lookups]) }
    }

    /// The transaction's settings. When a match begins the table grows from nothing to a million rows before its
    /// statistics are renewed; without sequential scans and sorts the server uses the indexes all the same. One generic
    /// plan serves batches of all sizes, because planning a small batch takes longer than registering ten tokens. The
    /// lock time-out of 200 ms keeps one locked row from delaying a hundred other requests.
    static let asPlannedOnce = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('plan_cache_mode', 'force_generic_plan', true), set_config('lock_timeout', '200ms', true)
        """
    /// Takes the locks of users and tokens, and returns the jobs for which another transaction holds one. It does not
    /// wait, so the order of the locks does not matter.
    private static let lock = """
        SELECT r.i::int AS i FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, lookup, i)
        WHERE NOT pg_try_advisory_xact_lock(\(AdvisoryLock.user("r.user_id")))
            OR NOT pg_try_advisory_xact_lock(\(AdvisoryLock.token("r.lookup")))
        """

    private static let columns = ActivityTokenStore.columns(
        followedAt: "w.created_at", wasFormer: ActivityTokenStore.wasFormer("r.lookup"))

    /// Returns one row for each record of a job, or one row for a job without a record. LATERAL with LIMIT makes the
    /// planner look up each part by its index for each job, however wrong its statistics are while a match begins.
    static let readFacts = """
        SELECT r.i::int AS i, p.device_id, d.was_seen_lately,
            w.created_at IS NOT NULL AS is_followed,
            r.user_id = ANY (ARRAY(\(AccountStore.allDeletedJustNow))) AS is_deleted,
            l.*
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
            AS r (match_id, user_id, named_id, lookup, i)
        CROSS JOIN LATERAL (
            SELECT coalesce(r.named_id, (\(UserDevices.onlyOne("r.user_id")))) AS device_id OFFSET 0
        ) p
        LEFT JOIN LATERAL (
            SELECT d.left_at IS NULL AND d.last_seen_at >= clock_timestamp() - \(UserDevices.seenInterval) AS was_seen_lately
            FROM devices d
            WHERE d.user_id = r.user_id AND d.device_id = p.device_id
                AND d.last_seen_at > clock_timestamp() - interval '\(UserDevices.unseenDays) days'
            LIMIT 1
        ) d ON true
        LEFT JOIN LATERAL (
            SELECT f.created_at FROM match_follows f WHERE f.user_id = r.user_id AND f.match_id = r.match_id LIMIT 1
        ) w ON true
        LEFT JOIN LATERAL (
            SELECT a.changed_xid, a.ctid AS address,
                \(columns)
            FROM live_activities a
            WHERE a.match_id = r.match_id AND a.user_id = r.user_id AND a.device_id = p.device_id
            ORDER BY a.generation DESC LIMIT \(ActivityTokenStore.recordsMax)
        ) l ON true
        """

    /// Returns the activities that hold the tokens. Each index is searched on its own: an OR of the two conditions
    /// would walk over all ends that are due, and after a match those are many.
    static let readOwners = """
        SELECT o.token_key, o.match_id, o.user_id, o.device_id, EXISTS (
            SELECT FROM devices d WHERE d.user_id = o.user_id AND d.device_id = o.device_id AND \(PhoneClaims.isTheirs("d"))
        ) AS phone_is_theirs
        FROM unnest($1::text[]) AS r (key) CROSS JOIN LATERAL (\(ActivityTokenStore.owners(of: "r.key"))) AS o
        """

    private struct Owner: Hashable {
        var match: MatchID
        var user: UserID
        var device: DeviceID?
    }

    /// Notes for each job whether another activity holds its token.
    private func noteOwners(_ rows: [PostgresRow], in facts: inout [Facts]) throws {
        guard !rows.isEmpty else { return }
        var owners: [String: [(owner: Owner, phoneIsTheirs: Bool)]] = [:]
        for row in rows {
            let owner = Owner(
                match: MatchID(try row.int64("match_id")), user: UserID(try row.string("user_id")),
                device: DeviceID(try row.string("device_id")))
            owners[try row.string("token_key"), default: []].append((owner, try row.bool("phone_is_theirs")))
        }
        let reporting = jobs.indices.map { place in
            Owner(match: jobs[place].match, user: jobs[place].user, device: facts[place].device)
        }
        let arrived = Dictionary(uniqueKeysWithValues: zip(reporting, places))
        for place in jobs.indices {
            let own = reporting[place]
            let others = (owners[keys[place].lookup] ?? []).filter { $0.owner != own }
            guard !others.isEmpty else { continue }
            facts[place].holder = others.contains { $0.owner.user != own.user && $0.phoneIsTheirs } ? .another : .user
            facts[place].holderGoesFirst = others.contains { arrived[$0.owner].map { $0 < places[place] } ?? false }
        }
    }

    private func facts(_ rows: [PostgresRow]) throws -> [Facts] {
        var facts = [Facts](repeating: Facts(), count: jobs.count)
        for row in rows {
            let place = try row.int("i") - 1
            if facts[place].records.isEmpty {
                facts[place].device = try row.optionalString("device_id").map { DeviceID($0) }
                facts[place].wasSeenLately = try row.optionalBool("was_seen_lately")
                facts[place].isFollowed = try row.bool("is_followed")
                facts[place].isDeleted = try row.bool("is_deleted")
            }
            guard try !row.isNull("generation") else { continue }
            facts[place].records.append(
                Record(
                    generation: try ActivityTokenStore.generation(
                        row, keys[place], reported: jobs[place].request.activityToken),
                    mark: try row.string("changed_xid"),
                    address: try row.string("address")))
        }
        for place in facts.indices where facts[place].records.count > 1 {
            facts[place].records.sort { $0.generation.generation > $1.generation.generation }
        }
        return facts
    }

    private func situations(_ rows: [PostgresRow]) throws -> [MatchID: Match] {
        var matches: [MatchID: Match] = [:]
        for row in rows {
            matches[MatchID(try row.int64("match_id"))] = Match(
                isKnown: try row.bool("is_known"), isOver: try row.bool("is_over"), lingers: try row.bool("lingers"),
                contentState: try row.optionalString("content_state"))
        }
        return matches
    }

    // MARK: - Deciding

    /// - Parameter answers: the results of `reading`.
    func decide(_ answers: [PostgresResult]) throws -> (writing: [PostgresStatement], Plan) {
        let locked = Set(try answers[1].rows.map { try $0.int("i") - 1 })
        var facts = try facts(answers[2].rows)
        try noteOwners(answers[3].rows, in: &facts)
        for row in answers[6...].flatMap(\.rows) {
            let place = try row.int("i") - 1
            facts[place].isOfAnotherKind = true
            if try row.bool("is_proven") { facts[place].isProvenAsAnotherKind = true }
        }
        let matches = try situations(answers[4].rows)
        let writer = try vault.writer(answers[5].rows.first)
        var write = ActivityTokenWrite()
        var decisions: [Plan.Decision] = []
        decisions.reserveCapacity(jobs.count)
        for place in jobs.indices {
            guard !locked.contains(place), !facts[place].holderGoesFirst, let match = matches[jobs[place].match] else {
                decisions.append(.retry)
                continue
            }
            decisions.append(try decide(place, facts[place], match, writer, &write))
        }
        let (statements, kinds) = write.statements
        return (statements, Plan(decisions: decisions, matches: matches, writes: kinds))
    }

    private func decide(
        _ place: Int, _ facts: Facts, _ match: Match, _ writer: TokenVault.Writer, _ write: inout ActivityTokenWrite
    ) throws -> Plan.Decision {
        if facts.isDeleted { return .accountDeleted }
        guard let device = facts.device else { return .deviceRequired }
        if facts.isProvenAsAnotherKind, match.isKnown { return .tokenOfAnotherKind }
        let job = jobs[place]
        let rule = ActivityTokenRule(
            token: job.request.activityToken, activityID: job.request.activityId, startID: job.request.startId,
            isFollowed: facts.isFollowed, matchIsOver: match.isOver, matchIsKnown: match.isKnown, holder: facts.holder)
        guard match.isKnown else { return .decided(rule.action(for: []), writes: false) }
        guard let wasSeenLately = facts.wasSeenLately else { return .withoutRecord(device) }
        let action = rule.action(for: facts.records.map(\.generation))
        var row = ActivityTokenWrite.Row(
            place: place, job: job, keys: keys[place], token: try writer(keys[place], as: .update),
            device: device, lingers: match.lingers)
        if !wasSeenLately { write.add(row, to: .seen) }
        func add(_ kind: ActivityTokenWrite.Kind) {
            if facts.holder != .nobody, kind.writesToken { write.add(row, to: .take) }
            if facts.isOfAnotherKind, kind.writesToken { write.add(row, to: .takeDevice) }
            if facts.isOfAnotherKind, kind.writesToken { write.add(row, to: .takeStart) }
            write.add(row, to: kind)
        }
        func change(_ generation: Int, _ kind: ActivityTokenWrite.Kind, unless: (Record) -> Bool = { _ in false })
            -> Plan.Decision
        {
            guard let record = facts.records.first(where: { $0.generation.generation == generation }) else {
                return .retry
            }
            if unless(record) { return .decided(action, writes: false) }
            (row.generation, row.mark, row.address) = (generation, record.mark, record.address)
            add(kind)
            return .decided(action, writes: true)
        }
        func insert(_ kind: ActivityTokenWrite.Kind) -> Plan.Decision {
            row.lingers = kind == .insertEnded && match.lingers
            row.generation = (facts.records.first?.generation.generation ?? 0) + 1
            add(kind)
            return .decided(action, writes: true)
        }
        switch action {
        case .activate(let generation): return change(generation, .activate)
        case .rotate(let generation): return change(generation, .rotate)
        case .keep(let generation):
            return change(generation, .name) { job.request.activityId == nil || $0.generation.activityID != nil }
        case .end(let generation?):
            guard let record = facts.records.first(where: { $0.generation.generation == generation }) else {
                return .retry
            }
            let isOwed = record.generation.endIsOwed && record.generation.token == rule.token
            guard isOwed || !record.generation.formerTokens.isEmpty else { return change(generation, .end) }
            return change(generation, .name) { job.request.activityId == nil || $0.generation.activityID != nil }
        case .adopt: return insert(.adopt)
        case .end(nil): return insert(.insertEnded)
        case .refuse: return insert(.refuse)
        case .pass, .wait: return .decided(action, writes: false)
        case .replace(let generation):
            row.next = (facts.records.first?.generation.generation ?? 0) + 1
            return change(generation, .replace)
        }
    }

    // MARK: - Outcomes

    /// Returns one outcome for each job, in the order in which the jobs were given.
    /// - Parameter contentStates: the content states of `plan.matches`, decoded.
    func outcomes(
        _ plan: Plan, written: [PostgresResult], contentStates: [MatchID: ContentState]
    ) throws -> [Outcome] {
        let done = try places(written, plan.writes)
        let taken = try taken(written, plan.writes)
        var outcomes = [Outcome](repeating: .retry, count: jobs.count)
        for (place, decision) in plan.decisions.enumerated() {
            switch decision {
            case .retry, .withoutRecord: break
            case .deviceRequired: outcomes[places[place]] = .failed(DeviceRequired())
            case .accountDeleted: outcomes[places[place]] = .failed(AccountDeleted())
            case .tokenOfAnotherKind: outcomes[places[place]] = .failed(TokenOfAnotherKind())
            case .decided(let action, let writes):
                guard !writes || done.contains(place) else { continue }
                let match = jobs[place].match
                outcomes[places[place]] = .answered(
                    ActivityTokenStore.Registered(
                        action: action, contentState: contentStates[match],
                        changedMatches: (taken[place] ?? []).union(writes ? [match] : [])))
            }
        }
        return outcomes
    }

    /// Returns the phones that need a record first, with the places of their jobs.
    func phonesWithoutRecord(_ plan: Plan) -> [(place: Int, device: DeviceID)] {
        plan.decisions.enumerated().compactMap { place, decision in
            if case .withoutRecord(let device) = decision { (places[place], device) } else { nil }
        }
    }
    /// Returns the matches in which a job's token belonged to another activity, and notes the tokens that moved from
    /// another user.
    private func taken(_ written: [PostgresResult], _ kinds: [ActivityTokenWrite.Kind]) throws -> [Int: Set<MatchID>] {
        guard let rows = zip(kinds, written).first(where: { $0.0 == .take })?.1.rows else { return [:] }
        var taken: [Int: Set<MatchID>] = [:]
        var moves: [(user: UserID, former: UserID)] = []
        for row in rows {
            let place = try row.int("i")
            taken[place, default: []].insert(MatchID(try row.int64("match_id")))
            let former = UserID(try row.string("user_id"))
            if former != jobs[place].user { moves.append((jobs[place].user, former)) }
        }
        TokenMoves.count(.update, moves.count)
        for move in moves { security.note(.tokenMoved, account: move.user, former: move.former) }
        return taken
    }

    /// Returns the jobs for which a row was written.
    private func places(_ written: [PostgresResult], _ kinds: [ActivityTokenWrite.Kind]) throws -> Set<Int> {
        var done: Set<Int> = []
        for (result, kind) in zip(written, kinds) {
            switch kind {
            case .seen, .takeDevice, .takeStart, .take, .verify: break
            case .activate, .rotate, .name, .end:
                for row in result.rows { done.insert(try row.int("i")) }
            case .adopt, .insertEnded, .refuse, .replace:
                let users = Set(try result.rows.map { try $0.string("user_id") })
                for place in jobs.indices where users.contains(jobs[place].user.rawValue) { done.insert(place) }
            }
        }
        return done
    }
}
