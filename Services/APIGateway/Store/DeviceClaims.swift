import Postgres
import SightscreenModels
import Store

/// Proves who has a phone when a user registers a push token that another user's phone has. Knowing a token does not
/// prove that one has the phone, so the phone is asked: a silent push brings a nonce to its device token, the only kind
/// that takes silent pushes, and the app there echoes it for the user who is signed in.
enum DeviceClaims {
    /// The time for which a nonce is valid.
    static let validity = "interval '5 minutes'"
    /// The time between two nonces for one token, however many users ask.
    static let pause = "interval '1 hour'"

    /// A condition on a row of `devices`: as far as is known its user still has that phone.
    static func isTheirs(_ row: String) -> String {
        "(\(row).left_at IS NULL AND \(row).last_seen_at > clock_timestamp() - interval '7 days')"
    }

    /// A condition on a row `c`: its nonce may still be echoed.
    private static let isOpen = "c.nonce IS NOT NULL AND coalesce(c.sent_at > clock_timestamp() - \(validity), true)"

    /// Claims a device token if another user's phone has it, as far as is known.
    /// - Returns: what the registration waits for; nil if no other user's phone has the token.
    /// - Parameters:
    ///   - token: the result of `TokenVault.parameter`.
    ///   - stored: the token in the form to be stored.
    static func claim(
        _ transaction: PostgresTransaction, _ token: PostgresValue, stored: String, _ user: UserID, _ device: DeviceID
    ) async throws -> TokenWait? {
        let key: [PostgresValue] = [token, .text(user.rawValue), .text(device.rawValue)]
        let owner = "\(TokenSQL.has("d.device_token", "$1")) AND d.user_id <> $2 AND \(isTheirs("d"))"
        guard
            try await !transaction.query("SELECT FROM devices d WHERE \(owner)", Array(key.prefix(2))).isEmpty
        else { return nil }
        // An older claim may hold the same token under an older key; it is brought to the present form.
        try await transaction.execute(
            "UPDATE device_claims SET device_token = $2 WHERE \(TokenSQL.has("device_token", "$1"))",
            [token, .text(stored)])
        try await transaction.execute(
            """
            INSERT INTO device_claims AS c (device_token, owner_id, owner_device_id, shard, user_id, device_id, nonce)
            SELECT $5, d.user_id, d.device_id, d.shard, $2, $3, $4 FROM devices d WHERE \(owner)
            ON CONFLICT (token_key(device_token)) DO UPDATE
            SET owner_id = excluded.owner_id, owner_device_id = excluded.owner_device_id, shard = excluded.shard,
                user_id = excluded.user_id, device_id = excluded.device_id, nonce = excluded.nonce,
                claimed_at = excluded.claimed_at, due_at = excluded.due_at, sent_at = NULL
            WHERE coalesce(c.sent_at, c.claimed_at) <= clock_timestamp() - \(pause)
            """, key + [.text(nonce()), .text(stored)])
        let isOurs = try await !transaction.query(
            """
            SELECT FROM device_claims c
            WHERE \(TokenSQL.has("c.device_token", "$1")) AND c.user_id = $2 AND c.device_id = $3 AND \(isOpen)
            """, key
        ).isEmpty
        return isOurs ? .confirmation : .owner
    }

    /// Returns the nonce with which the owner of a device token refuses a claim; nil if there is no open claim.
    static func nonce(
        _ transaction: PostgresTransaction, refusing token: PostgresValue, _ user: UserID, _ device: DeviceID
    ) async throws -> String? {
        try await transaction.query(
            """
            SELECT c.nonce FROM device_claims c
            WHERE \(TokenSQL.has("c.device_token", "$1")) AND c.owner_id = $2 AND c.owner_device_id = $3 AND \(isOpen)
            """, [token, .text(user.rawValue), .text(device.rawValue)]
        ).first?.string("nonce")
    }

    /// The claim that an echo settles.
    struct Claim: Sendable {
        /// The token in its stored form.
        var token: String
        var owner: UserID
        var ownersDevice: DeviceID
        /// Whether the owner echoed the nonce: the owner has the phone, and nothing moves.
        var isRefused: Bool
    }

    /// Settles the claim whose nonce the claimant or the owner echoes. Its record stays, so that the token gets no
    /// other nonce within the hour.
    static func settle(
        _ transaction: PostgresTransaction, _ nonce: String, _ user: UserID, _ device: DeviceID
    ) async throws -> Claim? {
        try await transaction.query(
            """
            UPDATE device_claims c SET nonce = NULL, sent_at = coalesce(c.sent_at, clock_timestamp())
            WHERE c.nonce = $1 AND \(isOpen)
                AND (($2::text, $3::text) = (c.user_id, c.device_id) OR ($2, $3) = (c.owner_id, c.owner_device_id))
            RETURNING c.device_token, c.owner_id, c.owner_device_id, c.owner_id = $2 AS is_refused
            """, [.text(nonce), .text(user.rawValue), .text(device.rawValue)]
        ).first.map {
            Claim(
                token: try $0.string("device_token"), owner: UserID(try $0.string("owner_id")),
                ownersDevice: DeviceID(try $0.string("owner_device_id")), isRefused: try $0.bool("is_refused"))
        }
    }

    /// Returns 128 random bits from the system's generator, as hexadecimal digits.
    private static func nonce() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let part = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - part.count) + part
        }.joined()
    }
}
