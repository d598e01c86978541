import Activities
package import Postgres
package import SightscreenModels
package import Store
import Tokens

/// The users' phones and their tokens (`devices`). Every call is one transaction and may be repeated.
package struct DeviceStore: Sendable {
    private let pool: PostgresPool
    private let vault: TokenVault
    /// The seconds that a phone which reports a running activity has to send its token (`START_LEASE`).
    private let startLease: Int
    /// The seconds for which a finished match stays on a Lock Screen (`DISMISS_AFTER`).
    private let dismissAfter: Int
    private let security: SecurityLog

    package init(
        pool: PostgresPool, vault: TokenVault = .inClear, startLease: Int = 120, dismissAfter: Int = 900,
        security: SecurityLog = .off
    ) {
        self.pool = pool
        self.vault = vault
        self.startLease = startLease
        self.dismissAfter = dismissAfter
        self.security = security
    }

    package struct Registered: Hashable, Sendable {
        package var device: DeviceID
        package var isCapable: Bool
        /// The matches in which the user's activities changed.
        package var changedMatches: Set<MatchID>
        /// The answer about the cards that the phone listed.
        package var cards = Cards()
        /// The event that the token waits for; another user has it and keeps it until then.
        package var waitsFor: TokenWait?
    }

    package struct Cards: Hashable, Sendable {
        /// The cards that should not be there.
        package var end: [ActivityID] = []
        /// The cards whose tokens APNs called dead; the phone is to register them anew.
        package var tokensWanted: [ActivityID] = []
        /// The followed matches in play whose card is gone from the phone and is not started again automatically.
        package var gone: [MatchID] = []
    }

    /// The change of the stored device token.
    package enum TokenChange: Hashable, Sendable { case keep, forget, set(DeviceToken) }

    /// Registers a phone (`POST /devices`). A token that another phone of the user had moves here, and nothing else
    /// changes there; so does the token of a user who has left that phone. Any other user's token is claimed, and moves
    /// when the phone has confirmed the claim.
    /// - Throws: `LimitReached`, `TokenOfAnotherKind`, `PostgresError`.
    package func register(
        _ registration: DeviceRegistration, token: TokenChange, user: UserID
    ) async throws -> Registered {
        var newToken: DeviceToken?
        if case .set(let value) = token { newToken = value }
        let lookup = try newToken.map { try vault.keys(of: $0.rawValue).lookup }
        let (registered, losers) = try await pool.forUser(user, token: lookup) { [named = newToken] transaction in
            let device = registration.deviceId
            var (newToken, token) = (named, token)
            var losers: [UserID] = []
            var wait: TokenWait?
            var reconciledAt: String?
            let writer = try await vault.writer(in: transaction)
            var keys = PostgresValue.textArray([])
            if let value = newToken {
                keys = try vault.parameter(value.rawValue)
                try await TokenKind.start.yield(keys, user, transaction)
                wait = try await PhoneClaims(transaction: transaction, vault: vault).claim(
                    value, user, device, host: registration.environment)
                if wait == nil {
                    let rows = try await transaction.query(
                        Self.takeDeviceToken, [keys, .text(user.rawValue), .text(device.rawValue)])
                    losers = try Self.losers(rows, to: user)
                    reconciledAt = try rows.first?.optionalString("reconciled_at")
                } else {
                    (newToken, token) = (nil, .keep)
                }
            }
            var changed = try await UserDevices.makeRoom(transaction, user: user, device: device)
            let route = DeviceRoute(user: user, device: device)
            let rows = try await transaction.query(
                """
                INSERT INTO devices AS d
                    (user_id, device_id, route, shard, platform, environment, device_token, device_token_at, os_version,
                     app_version, live_activities_enabled, frequent_pushes_enabled, broadcast, reconcile_sent_at)
                VALUES ($1, $2, $3, $4, $5, coalesce($6::text, 'production'), $7::text,
                    CASE WHEN $7::text IS NOT NULL THEN clock_timestamp() END, $8::text, $9::text,
                    coalesce($10::bool, true), coalesce($11::bool, true), coalesce($14::bool, false),
                    -- The silent pushes of an hour are of the token, whatever its phone is called.
                    $15::timestamptz)
                ON CONFLICT (user_id, device_id) DO UPDATE
                SET route = excluded.route, shard = excluded.shard, platform = excluded.platform,
                    environment = coalesce($6::text, d.environment),
                    device_token = CASE WHEN $12::bool THEN d.device_token ELSE excluded.device_token END,
                    device_token_at = CASE WHEN $12::bool THEN d.device_token_at ELSE excluded.device_token_at END,
                    -- What one host takes says nothing of the other.
                    device_token_proven_at = CASE
                        WHEN ($12::bool OR \(TokenSQL.has("d.device_token", "$13")))
                            AND coalesce($6::text, d.environment) = d.environment
                        THEN d.device_token_proven_at END,
                    start_token_proven_at = CASE WHEN coalesce($6::text, d.environment) = d.environment
                        THEN d.start_token_proven_at END,
                    os_version = coalesce($8::text, d.os_version), app_version = coalesce($9::text, d.app_version),
                    live_activities_enabled = coalesce($10::bool, d.live_activities_enabled),
                    frequent_pushes_enabled = coalesce($11::bool, d.frequent_pushes_enabled),
                    broadcast = coalesce($14::bool, d.broadcast),
                    last_seen_at = clock_timestamp(), left_at = NULL, reconcile_due_at = NULL,
                    reconcile_sent_at = greatest(d.reconcile_sent_at, excluded.reconcile_sent_at),
                    \(StartFallbackSQL.registered)
                RETURNING \(LiveMatch.capableDevice) AS capable
                """,
                [
                    .text(user.rawValue), .text(device.rawValue), .int(route.hash), .int(route.shard),
                    .text(registration.platform), PostgresValue(registration.environment?.rawValue),
                    PostgresValue(try newToken.map { try writer($0.rawValue, as: .device) }),
                    PostgresValue(registration.osVersion),
                    PostgresValue(registration.appVersion), PostgresValue(registration.liveActivitiesEnabled),
                    PostgresValue(registration.frequentPushesEnabled), .bool(token == .keep), keys,
                    PostgresValue(registration.broadcast), PostgresValue(reconciledAt),
                ])
            let capable = try rows.first?.bool("capable") ?? false
            var cards = Cards()
            if let listed = registration.activities {
                changed.formUnion(try await dismiss(transaction, listed, user, device))
                try await explain(transaction, listed, user, device, bootedAt: registration.bootedAt)
                cards = try await judge(transaction, listed.filter { $0.state != .dismissed }, user, device)
                cards.gone = try await transaction.query(
                    MissingCardSQL.gone, [.text(user.rawValue), .text(device.rawValue)]
                ).map { MatchID(try $0.int64("match_id")) }
            }
            let running = (registration.activities ?? []).filter { activity in
                activity.isThere && activity.activityId.map { !cards.end.contains($0) } ?? true
            }
            changed.formUnion(try await resume(transaction, user, device, capable: capable, running: running))
            let registered = Registered(
                device: device, isCapable: capable, changedMatches: changed, cards: cards, waitsFor: wait)
            return (registered, losers)
        }
        TokenMoves.count(.device, losers.count)
        for loser in losers { security.note(.phoneMoved, account: user, former: loser) }
        return registered
    }

    /// Registers a push-to-start token (`POST /devices/push-to-start-token`). A token that the phone had before its
    /// present one is late, and changes only when the phone was last seen. The token of another user's phone waits
    /// until that phone's device token is confirmed.
    /// - Throws: `DeviceRequired`, `LimitReached`, `TokenOfAnotherKind`, `PostgresError`.
    package func register(_ registration: PushToStartRegistration, user: UserID) async throws -> Registered {
        let token = registration.pushToStartToken.rawValue
        let lookup = try vault.keys(of: token).lookup
        let (registered, losers) = try await pool.forUser(user, token: lookup) {
            transaction -> (Registered, [UserID]) in
            let device = try await UserDevices.resolve(transaction, user: user, device: registration.deviceId)
            let keys = try vault.parameter(token)
            try await TokenKind.device.yield(keys, user, transaction)
            let losers = try Self.losers(
                try await transaction.query(Self.takeStartToken, [keys, .text(user.rawValue), .text(device.rawValue)]),
                to: user)
            try await UserDevices.touch(transaction, user: user, device: device)
            guard let capable = try await setStartToken(transaction, token, user, device) else {
                return (Registered(device: device, isCapable: false, changedMatches: [], waitsFor: .deviceToken), [])
            }
            let changed = try await resume(transaction, user, device, capable: capable, running: [])
            return (Registered(device: device, isCapable: capable, changedMatches: changed), losers)
        }
        TokenMoves.count(.start, losers.count)
        for loser in losers { security.note(.tokenMoved, account: user, former: loser) }
        return registered
    }

    /// The number of former start tokens that are remembered, because a late report is of one of the last few.
    private static let formerStartTokensMax = 4

    /// Sets the start token.
    /// - Returns: whether activities can be started on the phone; nil if another user has the token.
    private func setStartToken(
        _ transaction: PostgresTransaction, _ token: String, _ user: UserID, _ device: DeviceID
    ) async throws -> Bool? {
        let writer = try await vault.writer(in: transaction)
        return try await transaction.query(
            Self.setStartToken,
            [
                .text(user.rawValue), .text(device.rawValue), .text(try writer(token, as: .start)),
                try vault.parameter(token),
            ]
        ).first?.bool("capable")
    }

    private static let setStartToken = """
        UPDATE devices d
        SET push_to_start_token = CASE WHEN v.is_former THEN d.push_to_start_token ELSE v.token END,
            push_to_start_token_at = CASE WHEN v.is_former THEN d.push_to_start_token_at ELSE clock_timestamp() END,
            start_token_proven_at = CASE WHEN v.is_former OR \(TokenSQL.has("d.push_to_start_token", "$4"))
                THEN d.start_token_proven_at END,
            dead_start_token_hash = CASE WHEN v.is_former THEN d.dead_start_token_hash END,
            former_start_tokens = CASE WHEN v.is_former OR v.last = ANY (v.hashes) OR v.last IS NULL THEN d.former_start_tokens
                ELSE (array_prepend(v.last, d.former_start_tokens))[1:\(Self.formerStartTokensMax)] END,
            \(StartFallbackSQL.registered),
            -- What the same token has had it does not get again.
            fallback_token_hash = CASE WHEN v.is_former THEN d.fallback_token_hash
                WHEN d.fallback_token_hash = ANY (v.hashes) THEN \(StartFallbackSQL.hash("token_key(v.token)")) END
        FROM (
            SELECT p.user_id, p.device_id, r.token, r.hashes,
                \(StartFallbackSQL.wasFormer("r.hashes", of: "p")) AS is_former,
                coalesce(\(StartFallbackSQL.hash("token_key(p.push_to_start_token)")), p.dead_start_token_hash) AS last
            FROM devices p, (SELECT $3::text AS token, \(StartFallbackSQL.hashes("$4")) AS hashes) r
            WHERE p.user_id = $1 AND p.device_id = $2
        ) v
        WHERE d.user_id = v.user_id AND d.device_id = v.device_id
            AND (v.is_former
                OR NOT EXISTS (
                    SELECT FROM devices o
                    WHERE \(TokenSQL.has("o.push_to_start_token", "$4")) AND o.user_id <> v.user_id))
        RETURNING \(LiveMatch.capableDevice) AS capable
        """

    /// Echoes a nonce (`POST /devices/confirm`). The phone is its user's then, and other users' claims to it are
    /// refused. If another user's row had the device token, it moves, and with it the start token that this phone of the
    /// former owner had; the former owner's activities on it end. A token that is damaged there is free, and the phone's
    /// next registration brings it.
    /// - Returns: the matches whose activities changed; nil if this user may not echo such a nonce now.
    /// - Throws: `DeviceRequired`, `TokenCipher.Failure.unknownKey`, `PostgresError`.
    package func confirm(_ confirmation: DeviceConfirmation, user: UserID) async throws -> Set<MatchID>? {
        let (changed, moves, former, refused) = try await pool.forUser(user) {
            transaction -> (Set<MatchID>?, [TokenMoves.Kind], former: UserID?, refused: [UserID]) in
            let device = try await UserDevices.resolve(transaction, user: user, device: confirmation.deviceId)
            let claims = PhoneClaims(transaction: transaction, vault: vault)
            guard let holder = try await claims.settle(confirmation.nonce, user, device) else {
                return (nil, [], nil, [])
            }
            if holder.user == user { return ([], [], nil, holder.refused) }
            let token = try vault.decrypt(holder.token, as: .device)
            try await transaction.execute(
                "\(Self.leave) WHERE user_id = $1 AND device_id = $2",
                [.text(holder.user.rawValue), .text(holder.device.rawValue)])
            var changed = try await PendingStarts.endAll(transaction, user: holder.user, device: holder.device)
            let writer = try await vault.writer(in: transaction)
            let rows = try await transaction.query(
                """
                UPDATE devices d SET device_token = $3::text,
                    device_token_at = CASE WHEN $3::text IS NOT NULL THEN clock_timestamp() END,
                    device_token_proven_at = NULL, left_at = NULL, last_seen_at = clock_timestamp(),
                    reconcile_sent_at = greatest(d.reconcile_sent_at, $4::timestamptz)
                WHERE user_id = $1 AND device_id = $2
                RETURNING \(LiveMatch.capableDevice) AS capable, push_to_start_token IS NULL AS has_no_start_token
                """,
                [
                    .text(user.rawValue), .text(device.rawValue),
                    PostgresValue(try token.map { try writer($0, as: .device) }), PostgresValue(holder.reconciledAt),
                ])
            guard let row = rows.first else { throw DeviceRequired() }
            var capable = try row.bool("capable")
            // A start token that the phone has registered itself is its own, whatever the former owner called one.
            let startToken =
                try row.bool("has_no_start_token")
                ? holder.startToken.flatMap { try vault.decrypt($0, as: .start) } : nil
            if let startToken {
                capable = try await setStartToken(transaction, startToken, user, device) ?? capable
            }
            changed.formUnion(try await resume(transaction, user, device, capable: capable, running: []))
            let moves: [TokenMoves.Kind] = (token == nil ? [] : [.device]) + (startToken == nil ? [] : [.start])
            return (changed, moves, holder.user, holder.refused)
        }
        for kind in moves { TokenMoves.count(kind, 1) }
        if let former { security.note(.phoneMoved, account: user, former: former) }
        for account in refused { security.note(.claimRefused, account: account) }
        return changed
    }

    /// Unregisters a phone by one of its tokens or its id (`DELETE /devices/:deviceToken`): pushes to it stop, and its
    /// activities end.
    ///
    /// Its record stays without tokens until it is purged as unseen, because end pushes need to know which APNs they go
    /// to.
    /// - Returns: the matches whose activities changed.
    package func unregister(_ name: String, user: UserID) async throws -> Set<MatchID> {
        try await pool.forUser(user) { transaction in
            // The name may be a token in clear, so it is compared with the devices' ids here and not by the statement.
            let devices = try await transaction.query(
                "SELECT device_id FROM devices WHERE user_id = $1", [.text(user.rawValue)]
            ).map { try $0.string("device_id") }
            let rows = try await transaction.query(
                """
                \(Self.leave)
                WHERE user_id = $1 AND (device_id = ANY ($2::text[]) OR \(TokenSQL.has("device_token", "$3"))
                    OR \(TokenSQL.has("push_to_start_token", "$3")))
                RETURNING device_id
                """,
                [
                    .text(user.rawValue), .textArray(devices.filter { $0 == name }),
                    try vault.parameter(name.lowercased()),
                ])
            var changed: Set<MatchID> = []
            for row in rows {
                let device = DeviceID(try row.string("device_id"))
                try await transaction.execute(PhoneClaims.withdraw, [.text(user.rawValue), .text(device.rawValue)])
                changed.formUnion(try await PendingStarts.endAll(transaction, user: user, device: device))
            }
            return changed
        }
    }

    /// Marks a phone as left by its user.
    private static let leave = """
        UPDATE devices SET \(TokenKind.device.taken), \(TokenKind.start.taken), left_at = clock_timestamp()
        """

    // MARK: -

    /// Returns the other users from whom a token was taken.
    private static func losers(_ rows: [PostgresRow], to user: UserID) throws -> [UserID] {
        try rows.map { UserID(try $0.string("user_id")) }.filter { $0 != user }
    }

    private static let mayBeTaken = "(user_id = $2 OR NOT \(PhoneClaims.isTheirs("devices")))"

    /// Takes a token from the device that has it, and changes nothing else there. The device is another one of the
    /// user, or its user has left it. Cards that are still there are named in the answer when that phone next lists its
    /// activities.
    private static let takeDeviceToken = """
        UPDATE devices SET \(TokenKind.device.taken)
        WHERE \(TokenSQL.has("device_token", "$1")) AND (user_id, device_id) <> ($2, $3) AND \(mayBeTaken)
        RETURNING user_id, reconcile_sent_at::text AS reconciled_at
        """

    /// Takes a start token, unless the phone reports one that it had formerly.
    private static let takeStartToken = """
        UPDATE devices SET \(TokenKind.start.taken)
        WHERE \(TokenSQL.has("push_to_start_token", "$1")) AND (user_id, device_id) <> ($2, $3) AND \(mayBeTaken)
            AND NOT EXISTS (
                SELECT FROM devices p WHERE p.user_id = $2 AND p.device_id = $3
                    AND \(StartFallbackSQL.wasFormer(StartFallbackSQL.hashes("$1"), of: "p")))
        RETURNING user_id
        """

    /// Records the dismissals that the app saw, in case it could not report them itself.
    private func dismiss(
        _ transaction: PostgresTransaction, _ listed: [RunningActivity], _ user: UserID, _ device: DeviceID
    ) async throws -> Set<MatchID> {
        var changed: Set<MatchID> = []
        for activity in listed where activity.state == .dismissed {
            guard let id = activity.activityId else { continue }
            switch try await ActivityTokenStore.dismiss(
                transaction, vault, DismissalRule(activityID: id, token: nil), activity.matchId, user, device)
            {
            case .unfollow, .unfollowOnly: changed.insert(activity.matchId)
            case .record: break
            }
        }
        return changed
    }

    private func explain(
        _ transaction: PostgresTransaction, _ listed: [RunningActivity], _ user: UserID, _ device: DeviceID,
        bootedAt: Int?
    ) async throws {
        let shown = listed.filter(\.isThere)
        try await transaction.execute(
            MissingCardSQL.explain,
            [
                .text(user.rawValue), .text(device.rawValue), .intArray(shown.map(\.matchId.rawValue)),
                .doubleArray(shown.map { $0.lastSeen.map { Double($0) } }),
                PostgresValue(bootedAt.map { Double($0) }),
                .textArray(listed.filter { $0.state == .ended }.compactMap(\.activityId?.rawValue)),
            ])
    }

    private func judge(
        _ transaction: PostgresTransaction, _ shown: [RunningActivity], _ user: UserID, _ device: DeviceID
    ) async throws -> Cards {
        var cards = Cards()
        guard !shown.isEmpty else { return cards }
        let rows = try await transaction.query(
            MissingCardSQL.judge,
            [
                .text(user.rawValue), .text(device.rawValue), .intArray(shown.map(\.matchId.rawValue)),
                .textArray(shown.map(\.activityId?.rawValue)), .textArray(shown.map(\.startId?.rawValue)),
                .int(dismissAfter), .textArray(shown.map(\.channel?.rawValue)),
                .intArray(shown.map { $0.isThere ? 1 : 0 }),
            ])
        for row in rows {
            let id = ActivityID(try row.string("activity_id"))
            if try row.bool("is_over") {
                cards.end.append(id)
            } else if try row.bool("is_wanted"), shown.contains(where: { $0.activityId == id && $0.isThere }) {
                cards.tokensWanted.append(id)
            }
        }
        return cards
    }

    /// Resumes starts now that the app is awake: starts that were given up are tried again, missing records are made,
    /// and activities that run already are not started.
    private func resume(
        _ transaction: PostgresTransaction, _ user: UserID, _ device: DeviceID, capable: Bool,
        running: [RunningActivity]
    ) async throws -> Set<MatchID> {
        var changed: Set<MatchID> = []
        for activity in running {
            changed.formUnion(
                try await PendingStarts.insert(
                    transaction, user: user, match: activity.matchId, device: device, local: device, lease: startLease))
            try await PendingStarts.holdBack(
                transaction, user: user, match: activity.matchId, device: device, lease: startLease)
        }
        let key: [PostgresValue] = [.text(user.rawValue), .text(device.rawValue)]
        let runs = PostgresValue.intArray(running.map(\.matchId.rawValue))
        guard capable else {
            // No start can be pushed to this phone, so pending starts that have not gone out end. A start that was
            // given up is resolved, however long its lease; only an activity that the app itself runs keeps its record.
            try await transaction.execute(
                """
                UPDATE live_activities
                SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp()
                WHERE user_id = $1 AND device_id = $2 AND status = 'pending'
                    AND (start_lease_until IS NULL OR start_lease_until <= clock_timestamp()
                        OR start_given_up_at IS NOT NULL AND match_id <> ALL ($3::bigint[]))
                """, key + [runs])
            return changed
        }
        // Records without tries left are included: they would be given up when the last lease passes.
        let again = try await transaction.query(
            """
            UPDATE live_activities SET start_given_up_at = NULL, start_attempts = 0,
                start_lease_until = CASE
                    WHEN match_id = ANY ($3::bigint[]) THEN start_lease_until
                    -- Given up: that start is resolved. Not given up: it may still appear.
                    WHEN start_given_up_at IS NULL AND start_lease_until > clock_timestamp() THEN start_lease_until
                END
            WHERE user_id = $1 AND device_id = $2 AND status = 'pending'
                AND (start_given_up_at IS NOT NULL OR start_attempts >= \(StartPolicy.triesMax))
            RETURNING match_id
            """, key + [runs])
        changed.formUnion(try again.map { MatchID(try $0.int64("match_id")) })
        changed.formUnion(try await PendingStarts.insert(transaction, user: user, device: device))
        return changed
    }
}
