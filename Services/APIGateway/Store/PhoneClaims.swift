import Postgres
import SightscreenModels
import Store

/// Proves who has a phone when a user registers a push token that another user's phone has. Knowing a token does not
/// prove that one has the phone, so the phone is asked: a silent push brings a nonce to its device token, the only kind
/// that takes silent pushes, and the app there echoes it for the user who is signed in. Every user with a claim, and the
/// one who has the token, may echo any nonce of it.
///
/// A claim is to a token, not to the row that has it: that may change hands while the push is under way.
struct PhoneClaims {
    let transaction: PostgresTransaction
    let vault: TokenVault

    /// The most tokens that one account claims within a day, because each makes another user's phone get pushes.
    static let tokensMax = UserDevices.devicesMax

    /// A condition on a row of `devices`: as far as is known its user still has that phone.
    static func isTheirs(_ row: String) -> String {
        "(\(row).left_at IS NULL AND \(row).last_seen_at > clock_timestamp() - interval '7 days')"
    }

    /// Claims a device token if another user's phone has it, as far as is known.
    /// - Parameter host: the host that the registration names; nil stands for what is on record of the device.
    /// - Returns: what the registration waits for; nil if no other user's phone has the token.
    func claim(
        _ token: DeviceToken, _ user: UserID, _ device: DeviceID, host: APNsEnvironment?
    ) async throws -> TokenWait? {
        let keys = try vault.keys(of: token.rawValue)
        let isAnothers = try await !transaction.query(
            """
            SELECT FROM devices d
            WHERE \(TokenSQL.has("d.device_token", "$1")) AND d.user_id <> $2 AND \(Self.isTheirs("d"))
            """, [.textArray([keys.lookup]), .text(user.rawValue)]
        ).isEmpty
        let key: [PostgresValue] = [.text(keys.lookup), .text(user.rawValue)]
        guard isAnothers else {
            try await transaction.execute(Self.fulfil, key)
            return nil
        }
        try await transaction.execute(
            Self.make,
            key + [.text(device.rawValue), PostgresValue(host?.rawValue), PostgresValue(vault.pseudonym(of: user))])
        let isAsked = try await !transaction.query(Self.isAsked, key).isEmpty
        return isAsked ? .confirmation : .owner
    }

    /// Makes or renews a claim. A push is due at once, unless one has left on behalf of this account within the hour or
    /// is due already. It is not either while as many others wait for theirs as may: the claim is open all the same, so
    /// its account may echo the nonces of the others, and it finds a place when it is renewed. Each host has places of
    /// its own: whoever fills those of the wrong one keeps nobody waiting, and whoever fills those of the right one
    /// has the phone asked. A refused claim stays as it is, also one of before the account was deleted (`$5`).
    private static let make = """
        INSERT INTO phone_claims AS c (token_key, user_id, device_id, environment, challenge, due_at)
        SELECT $1, $2, $3, host.environment, gen_random_uuid()::text, CASE WHEN (
            SELECT count(*) FROM phone_claims o
            WHERE o.token_key = $1 AND o.user_id <> $2 AND o.due_at IS NOT NULL AND \(PhoneClaimSQL.isOpen("o"))
                AND o.environment = host.environment) < \(PhoneClaimSQL.waitingMax) THEN clock_timestamp() END
        FROM (
            SELECT coalesce(
                $4::text, (SELECT p.environment FROM devices p WHERE p.user_id = $2 AND p.device_id = $3), 'production')
        ) AS host (environment)
        WHERE (SELECT count(*) FROM phone_claims o WHERE o.user_id = $2 AND o.token_key <> $1) < \(tokensMax)
            AND NOT EXISTS (
                SELECT FROM phone_claims r
                WHERE r.token_key = $1 AND r.user_id = \(PhoneClaimSQL.deleted) || $5::text AND \(PhoneClaimSQL.isRefused("r")))
        ON CONFLICT (token_key, user_id) DO UPDATE
        SET device_id = excluded.device_id, claimed_at = excluded.claimed_at, refused_at = NULL,
            environment = excluded.environment,
            challenge = CASE WHEN c.challenge IS NOT NULL AND (\(PhoneClaimSQL.wasSent("c")) OR c.due_at IS NOT NULL)
                THEN c.challenge ELSE excluded.challenge END,
            -- Its place is at the host for which it waits.
            due_at = CASE WHEN \(PhoneClaimSQL.wasSent("c")) THEN NULL
                WHEN c.environment = excluded.environment THEN coalesce(c.due_at, excluded.due_at)
                ELSE excluded.due_at END,
            sent_at = CASE WHEN \(PhoneClaimSQL.wasSent("c")) THEN c.sent_at END
        WHERE NOT \(PhoneClaimSQL.isRefused("c"))
        """

    /// Closes the claim of an account that gets the token without it. A nonce that has left stays good for others.
    private static let fulfil = """
        UPDATE phone_claims c SET due_at = NULL, challenge = CASE WHEN \(PhoneClaimSQL.wasSent("c")) THEN c.challenge END
        WHERE c.token_key = $1 AND c.user_id = $2 AND c.due_at IS NOT NULL
        """

    /// Tells whether a claim is open and the phone has a nonce, or gets one now.
    private static let isAsked = """
        SELECT FROM phone_claims c
        WHERE c.token_key = $1 AND c.user_id = $2 AND \(PhoneClaimSQL.isOpen("c"))
            AND (c.due_at IS NOT NULL AND \(PhoneClaimSQL.mayAsk("$1"))
                OR EXISTS (SELECT FROM phone_claims o WHERE o.token_key = $1 AND \(PhoneClaimSQL.hasOpenNonce("o"))))
        """

    /// The phone that has a token whose nonce was echoed.
    struct Holder: Sendable {
        var user: UserID
        var device: DeviceID
        /// The token in its stored form.
        var token: String
        var startToken: String?
        var reconciledAt: String?
        /// The accounts whose claims are refused by the echo.
        var refused: [UserID] = []
    }

    /// Settles the claims to the token whose nonce a phone echoes: those of other accounts are refused.
    /// - Returns: the phone that has the token; nil if the nonce is none that this user may echo now, or if no phone has
    ///   the token, which the user then registers and gets.
    func settle(_ nonce: String, _ user: UserID, _ device: DeviceID) async throws -> Holder? {
        let echo: [PostgresValue] = [.text(user.rawValue), .text(device.rawValue)]
        let match = try await transaction.query(Self.candidates, echo).first { row in
            try vault.nonce(of: try row.string("challenge")) == nonce
        }
        guard let match else { return nil }
        let key = PostgresValue.text(try match.string("token_key"))
        var holder = try await transaction.query(Self.holder, [key]).first.map { row in
            Holder(
                user: UserID(try row.string("user_id")), device: DeviceID(try row.string("device_id")),
                token: try row.string("device_token"), startToken: try row.optionalString("push_to_start_token"),
                reconciledAt: try row.optionalString("reconciled_at"))
        }
        guard holder != nil else { return nil }
        // Of two echoes at the same time the second finds no challenge.
        let isOpen = try await !transaction.query(
            "SELECT FROM phone_claims c WHERE c.token_key = $1 AND c.challenge = $2 FOR UPDATE",
            [key, .text(try match.string("challenge"))]
        ).isEmpty
        guard isOpen else { return nil }
        let settled = try await transaction.query(Self.settle, [key, .text(user.rawValue)])
        holder?.refused = try settled.filter { try $0.bool("is_refused") }.map { UserID(try $0.string("user_id")) }
        return holder
    }

    /// Selects the open nonces that a phone (`$1`, `$2`) may echo: those of its own device token, and of the tokens that
    /// it claims.
    private static let candidates = """
        SELECT c.token_key, c.challenge FROM phone_claims c
        WHERE \(PhoneClaimSQL.hasOpenNonce("c")) AND c.token_key IN (
            SELECT token_key(d.device_token) FROM devices d
            WHERE d.user_id = $1 AND d.device_id = $2 AND d.device_token IS NOT NULL
            UNION ALL
            SELECT o.token_key FROM phone_claims o
            WHERE o.user_id = $1 AND o.device_id = $2 AND \(PhoneClaimSQL.isOpen("o")))
        """

    private static let holder = """
        SELECT d.user_id, d.device_id, d.device_token, d.push_to_start_token, d.reconcile_sent_at::text AS reconciled_at
        FROM devices d WHERE token_key(d.device_token) = $1 FOR UPDATE
        """

    /// The times of pushes stay, so that the token gets no further ones within the hour.
    private static let settle = """
        UPDATE phone_claims c SET challenge = NULL, due_at = NULL,
            refused_at = CASE WHEN before.is_refused THEN clock_timestamp() ELSE c.refused_at END
        FROM (
            SELECT user_id, challenge IS NOT NULL AND device_id <> '' AND user_id <> $2 AS is_refused
            FROM phone_claims WHERE token_key = $1 ORDER BY user_id FOR UPDATE
        ) AS before
        WHERE c.token_key = $1 AND c.user_id = before.user_id
        RETURNING c.user_id, before.is_refused
        """

    /// Withdraws the claims of a phone that its user signs out of: no phone claims then (`device_id`), and what the
    /// phone says to other users' claims is not about this account. A nonce that has left stays good for others.
    static let withdraw = """
        UPDATE phone_claims c SET device_id = '', due_at = NULL,
            challenge = CASE WHEN \(PhoneClaimSQL.wasSent("c")) THEN c.challenge END
        WHERE c.user_id = $1 AND c.device_id = $2
        """
}
