import Activities
import Postgres
import SightscreenModels
import Store
import Tokens

extension ActivityStore {
    /// Claims the silent and visible pushes that are due to phones of our shards: nonces first, then those for
    /// unanswered starts, then those for cards whose tokens have died. Each is claimed once: the outcome of one that
    /// left is never asked for, and it is not sent again.
    ///
    /// Pushes under a hold are left out, and so are those no longer wanted because the match is over, was unfollowed,
    /// or has its card back.
    ///
    /// - Parameter onTrouble: called with the error when the pushes of one kind cannot be claimed but others were;
    ///   those others must still leave.
    package func claimFallbacks(
        _ leases: [ShardLease], limit: Int, onTrouble: @Sendable (any Error) -> Void = { _ in }
    ) async throws -> [FallbackClaim] {
        let limit = min(limit, Self.claimMax)
        var claims: [FallbackClaim] = []
        var failures: [any Error] = []
        func add(
            _ statement: String, deadline: Duration = .seconds(5),
            _ purpose: (PostgresRow) throws -> FallbackClaim.Purpose
        ) async {
            guard claims.count < limit else { return }
            let parameters = Self.parameters(leases, limit: limit - claims.count, bundleID: bundleID)
            do {
                claims += try await pool.query(statement, parameters, deadline: deadline).compactMap {
                    try claim($0, try purpose($0))
                }
            } catch { failures.append(error) }
        }
        // Claims are made by users at will, so their statement keeps the others waiting for a moment at most.
        await add(Self.claimNonces, deadline: .milliseconds(500)) { row in
            let stranger = try row.optionalString("strangers_host").map { UserID($0) }
            return .confirm(challenge: try row.string("challenge"), strangersHost: stranger)
        }
        await add(Self.claimSteps) { row in
            .start(try Self.card(row), StartFallback.Step(rawValue: try row.string("fallback_step")) ?? .passive)
        }
        // This statement comes last: a silent push that was claimed above asks about the cards, too.
        await add(Self.claimReconciles) { row in .card(try Self.card(row)) }
        if let failure = failures.first {
            guard !claims.isEmpty else { throw failure }
            onTrouble(failure)
        }
        return claims
    }

    /// The parameters of the statements that claim.
    static func parameters(_ leases: [ShardLease], limit: Int, bundleID: String) -> [PostgresValue] {
        [.intArray(leases.map(\.shard)), .intArray(leases.map(\.epoch)), .int(limit), .text(bundleID)]
    }

    private func claim(_ row: PostgresRow, _ purpose: FallbackClaim.Purpose) throws -> FallbackClaim? {
        guard let token = try vault.read(try row.string("device_token"), as: .device) else { return nil }
        return FallbackClaim(
            userID: UserID(try row.string("user_id")), deviceID: DeviceID(try row.string("device_id")),
            shard: try row.int("shard"), environment: try row.environment(),
            token: DeviceToken(token),
            isProven: try row.bool("is_proven"),
            purpose: purpose,
            nonce: try row.optionalString("challenge").map {
                FallbackClaim.Nonce(text: try vault.nonce(of: $0), until: try row.int("nonce_until"))
            },
            now: try row.int("now"), mark: try row.string("mark"))
    }

    private static let heldShards = """
        unnest($1::int[], $2::bigint[]) AS held (shard, epoch)
        JOIN leases l ON l.name = 'shard:' || held.shard AND l.epoch = held.epoch AND l.expires_at > clock_timestamp()
        JOIN devices d ON d.shard = held.shard
        """

    /// Claims the pushes of claims to phones, one for a token at a time and the oldest first. They take nothing of what
    /// a phone may be asked about its cards, so that another user cannot use that up; but the app lists its cards.
    /// They go to the host that the claimant names: the one that is on record as the owner may name the wrong one.
    ///
    /// Whether a token may be asked is looked up once, before its claims are read: most are of tokens that have had the
    /// pushes of the hour.
    static let claimNonces = """
        WITH tokens AS MATERIALIZED (
            SELECT waiting.token_key
            FROM (SELECT DISTINCT token_key FROM phone_claims WHERE due_at <= clock_timestamp()) AS waiting
            WHERE \(PhoneClaimSQL.mayAsk("waiting.token_key"))
        ), oldest AS MATERIALIZED (
            SELECT DISTINCT ON (c.token_key) c.token_key, c.user_id, c.due_at,
                d.user_id AS owner_id, d.device_id AS owner_device_id
            FROM tokens
            JOIN devices d ON token_key(d.device_token) = tokens.token_key
            JOIN unnest($1::int[], $2::bigint[]) AS held (shard, epoch) ON held.shard = d.shard
            JOIN leases l ON l.name = 'shard:' || held.shard AND l.epoch = held.epoch
                AND l.expires_at > clock_timestamp()
            -- The claim of the account which has the token is never sent, so nobody waits for it.
            JOIN phone_claims c ON c.token_key = tokens.token_key AND c.user_id <> d.user_id
                AND c.due_at <= clock_timestamp() AND \(PhoneClaimSQL.isOpen("c"))
            WHERE NOT EXISTS (SELECT FROM holds h WHERE h.match_id IS NULL AND h.level = 'pushes')
            ORDER BY c.token_key, c.due_at, c.user_id
        ), due AS (
            SELECT c.token_key, c.user_id, oldest.owner_id, oldest.owner_device_id
            FROM oldest JOIN phone_claims c ON c.token_key = oldest.token_key AND c.user_id = oldest.user_id
            WHERE c.due_at IS NOT NULL
            ORDER BY oldest.due_at LIMIT $3
            FOR UPDATE OF c SKIP LOCKED
        ), sent AS (
            UPDATE phone_claims c SET sent_at = clock_timestamp(), due_at = NULL FROM due
            WHERE c.token_key = due.token_key AND c.user_id = due.user_id AND c.due_at IS NOT NULL
            RETURNING due.owner_id, due.owner_device_id, c.user_id, c.environment, c.challenge, c.sent_at
        )
        SELECT d.user_id, d.device_id, d.shard, coalesce(s.environment, d.environment) AS environment, d.device_token,
            d.device_token_proven_at IS NOT NULL AND d.proven_bundle IS NOT DISTINCT FROM $4
                AND coalesce(s.environment, d.environment) = d.environment AS is_proven,
            CASE WHEN s.environment <> d.environment THEN s.user_id END AS strangers_host,
            s.challenge, \(PhoneClaimSQL.end("s")) AS nonce_until,
            s.sent_at::text AS mark, floor(extract(epoch FROM clock_timestamp()))::bigint AS now
        FROM sent s JOIN devices d ON d.user_id = s.owner_id AND d.device_id = s.owner_device_id
        """

    private static let claimSteps = """
        WITH due AS (
            SELECT d.user_id, d.device_id FROM \(heldShards)
            WHERE d.fallback_push = 'due' AND d.device_token IS NOT NULL AND d.fallback_at <= clock_timestamp()
                AND (d.fallback_step = 'visible' OR \(MissingCardSQL.mayAsk))
                AND NOT EXISTS (
                    SELECT FROM holds h WHERE (h.match_id IS NULL OR h.match_id = d.fallback_match_id)
                        AND (h.level = 'pushes' OR h.level = 'alerts' AND d.fallback_step = 'visible'))
                AND \(StartFallbackSQL.isWanted("d.fallback_match_id"))
            LIMIT $3
            FOR UPDATE OF d SKIP LOCKED
        ), claimed AS (
            UPDATE devices d SET fallback_push = 'sent', fallback_at = clock_timestamp(),
                visible_push_at = CASE d.fallback_step WHEN 'visible' THEN clock_timestamp() ELSE d.visible_push_at END,
                reconcile_due_at = CASE d.fallback_step WHEN 'visible' THEN d.reconcile_due_at END,
                reconcile_sent_at =
                    CASE d.fallback_step WHEN 'visible' THEN d.reconcile_sent_at ELSE clock_timestamp() END
            FROM due
            WHERE d.user_id = due.user_id AND d.device_id = due.device_id AND d.fallback_push = 'due'
            RETURNING d.*
        )
        SELECT c.user_id, c.device_id, c.shard, c.environment, c.device_token,
            c.device_token_proven_at IS NOT NULL AND c.proven_bundle IS NOT DISTINCT FROM $4 AS is_proven, c.fallback_step,
            c.fallback_match_id AS match_id, c.fallback_at::text AS mark, n.challenge, n.nonce_until,
            floor(extract(epoch FROM clock_timestamp()))::bigint AS now, \(cardColumns)
        FROM claimed c LEFT JOIN fixtures f ON f.match_id = c.fallback_match_id \(PhoneClaimSQL.openNonce)
        """

    /// Claims one silent push per phone: first with a card on a channel whose follow is gone, which no push can end; or
    /// with a card whose token has died, while the match is in play and followed.
    private static let claimReconciles = """
        WITH due AS (
            SELECT d.user_id, d.device_id, missing.match_id FROM \(heldShards)
            CROSS JOIN LATERAL (
                (SELECT c.match_id, true AS is_unfollow FROM live_activities c
                WHERE c.user_id = d.user_id AND c.device_id = d.device_id AND c.status = 'ended'
                    AND \(ChannelSQL.listens("c")) AND c.ended_at > clock_timestamp() - interval '8 hours'
                    AND \(MissingCardSQL.isNewest("c")) AND \(isNotHeld("c.match_id"))
                    AND NOT EXISTS (
                        SELECT FROM match_follows f WHERE f.user_id = c.user_id AND f.match_id = c.match_id)
                LIMIT 1)
                UNION ALL
                (SELECT c.match_id, false FROM live_activities c
                JOIN match_follows f ON f.user_id = c.user_id AND f.match_id = c.match_id
                JOIN active_matches a ON a.match_id = c.match_id
                WHERE c.user_id = d.user_id AND c.device_id = d.device_id AND c.card = 'unknown'
                    AND \(MissingCardSQL.isNewest("c")) AND \(StartFallbackSQL.followLasts) AND \(LiveMatch.condition)
                    AND \(isNotHeld("c.match_id"))
                ORDER BY a.relevance DESC, c.match_id LIMIT 1)
                LIMIT 1
            ) AS missing
            WHERE d.reconcile_due_at <= clock_timestamp() AND d.device_token IS NOT NULL AND \(MissingCardSQL.mayAsk)
            ORDER BY missing.is_unfollow DESC LIMIT $3
            FOR UPDATE OF d SKIP LOCKED
        ), claimed AS (
            UPDATE devices d SET \(MissingCardSQL.asked) FROM due
            WHERE d.user_id = due.user_id AND d.device_id = due.device_id AND d.reconcile_due_at IS NOT NULL
            RETURNING d.*, due.match_id
        )
        SELECT c.user_id, c.device_id, c.shard, c.environment, c.device_token,
            c.device_token_proven_at IS NOT NULL AND c.proven_bundle IS NOT DISTINCT FROM $4 AS is_proven, c.match_id, n.challenge, n.nonce_until,
            c.reconcile_sent_at::text AS mark, floor(extract(epoch FROM clock_timestamp()))::bigint AS now,
            \(cardColumns)
        FROM claimed c LEFT JOIN fixtures f ON f.match_id = c.match_id \(PhoneClaimSQL.openNonce)
        """

    /// Releases a push that has certainly not left: it is due again after `delay`.
    package func releaseFallback(_ claim: FallbackClaim, after delay: Duration) async throws {
        guard case .start(_, let step) = claim.purpose else { return try await releaseReconcile(claim, after: delay) }
        try await pool.execute(
            """
            UPDATE devices d SET fallback_push = 'due',
                fallback_at = clock_timestamp() + $5::double precision * interval '1 second',
                -- What was due beside it had this push for its own.
                reconcile_due_at = CASE fallback_step WHEN 'visible' THEN reconcile_due_at
                    ELSE coalesce(reconcile_due_at, clock_timestamp() + $5::double precision * interval '1 second') END,
                -- It was due, so the one before was long ago.
                visible_push_at = CASE fallback_step WHEN 'visible' THEN NULL ELSE visible_push_at END,
                reconcile_sent_at = CASE fallback_step WHEN 'visible' THEN reconcile_sent_at END
            WHERE user_id = $1 AND device_id = $2 AND fallback_step = $3 AND fallback_push = 'sent'
                AND fallback_at::text = $4
            """,
            [
                .text(claim.userID.rawValue), .text(claim.deviceID.rawValue), .text(step.rawValue),
                .text(claim.mark), .double(delay / .seconds(1)),
            ])
    }

    private func releaseReconcile(_ claim: FallbackClaim, after delay: Duration) async throws {
        if case .confirm(let challenge, _) = claim.purpose {
            try await pool.execute(
                """
                UPDATE phone_claims
                SET sent_at = NULL, due_at = clock_timestamp() + $3::double precision * interval '1 second'
                WHERE token_key = $1 AND challenge = $2
                """,
                [
                    .text(try vault.keys(of: claim.token.rawValue).lookup), .text(challenge),
                    .double(delay / .seconds(1)),
                ])
            return
        }
        try await pool.execute(
            """
            UPDATE devices d SET reconcile_due_at = clock_timestamp() + $4::double precision * interval '1 second',
                \(MissingCardSQL.notAsked)
            WHERE user_id = $1 AND device_id = $2 AND reconcile_sent_at::text = $3
                -- The app may have answered something else meanwhile.
                AND last_seen_at < reconcile_sent_at
            """,
            [
                .text(claim.userID.rawValue), .text(claim.deviceID.rawValue), .text(claim.mark),
                .double(delay / .seconds(1)),
            ])
    }

    /// Retires a device token that APNs calls dead. That says nothing about the phone's other tokens. A push that is
    /// due counts as sent, so that the next step does not wait for a token.
    /// - Parameter sinceMs: APNs' own time of the answer, milliseconds since 1970.
    package func retireDeviceToken(_ claim: FallbackClaim, sinceMs: Int64?) async throws {
        try await pool.execute(
            """
            \(Self.retireDeviceToken) AND \(DeadTokenSQL.isAbout(registered: "device_token_at", since: "$4"))
            """, try deviceToken(of: claim) + [PostgresValue(sinceMs)])
    }

    /// Retires a device token that the detector rejected, whenever it was registered, and counts it against the user's
    /// account.
    /// - Returns: whether the phone still had this token.
    package func retireBadDeviceToken(_ claim: FallbackClaim) async throws -> Bool {
        try await !pool.query(
            BadTokenSQL.counting("\(Self.retireDeviceToken) RETURNING user_id"), deviceToken(of: claim)
        ).isEmpty
    }

    private static let retireDeviceToken = """
        UPDATE devices SET device_token = NULL, device_token_at = NULL, device_token_proven_at = NULL,
            fallback_push = CASE fallback_push WHEN 'due' THEN 'sent' ELSE fallback_push END
        WHERE user_id = $1 AND device_id = $2 AND \(TokenSQL.has("device_token", "$3"))
        """

    private func deviceToken(of claim: FallbackClaim) throws -> [PostgresValue] {
        [.text(claim.userID.rawValue), .text(claim.deviceID.rawValue), try vault.parameter(claim.token.rawValue)]
    }

    // MARK: - The match

    /// The columns that `card` reads, from a row `f` of `fixtures` that may be missing.
    static let cardColumns = """
        coalesce(f.competition, '') AS competition,
        floor(extract(epoch FROM coalesce(f.starts_at, clock_timestamp())))::bigint AS starts_at,
        coalesce(f.home_id, 0) AS home_id, coalesce(f.home_name, '') AS home_name,
        coalesce(f.home_code, '') AS home_code, coalesce(f.away_id, 0) AS away_id,
        coalesce(f.away_name, '') AS away_name, coalesce(f.away_code, '') AS away_code, f.home_logo, f.away_logo
        """

    static func card(_ row: PostgresRow) throws -> MatchCard {
        MatchCard(
            id: MatchID(try row.int64("match_id")), competition: try row.string("competition"),
            home: Team(
                id: try row.int64("home_id"), name: try row.string("home_name"), code: try row.string("home_code"),
                logo: try row.optionalString("home_logo")),
            away: Team(
                id: try row.int64("away_id"), name: try row.string("away_name"), code: try row.string("away_code"),
                logo: try row.optionalString("away_logo")),
            startsAt: try row.int("starts_at"))
    }
}
