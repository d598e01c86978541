import Postgres
import SightscreenModels
import Store

/// Whose phone it is, when a user registers a push token that another user's phone has. To know a token is not to have the phone,
/// so the phone is asked: its device token, the only kind that takes a silent push, gets a nonce, and the app there echoes it for
/// the user who is signed in.
enum DeviceClaims {
    /// A nonce is worth nothing later.
    static let validity = "interval '5 minutes'"
    /// One nonce for a token in this time, however many users ask.
    static let pause = "interval '1 hour'"

    /// Of a row of `devices`: as far as is known its user still has that phone.
    static func isTheirs(_ row: String) -> String {
        "(\(row).left_at IS NULL AND \(row).last_seen_at > clock_timestamp() - interval '7 days')"
    }

    /// Of a row `c`: its nonce may still be echoed.
    private static let isOpen = "c.nonce IS NOT NULL AND coalesce(c.sent_at > clock_timestamp() - \(validity), true)"

    /// Claims a device token, if it is another user's whose phone has it, as far as is known.
    /// - Returns: nil when it is not, else what the registration waits for.
    /// - Parameters:
    ///   - token: `TokenVault.parameter`.
    ///   - stored: the token as it is to be stored.
    static func claim(
        _ transaction: PostgresTransaction, _ token: PostgresValue, stored: String, _ user: UserID, _ device: DeviceID
    ) async throws -> TokenWait? {
        let key: [PostgresValue] = [token, .text(user.rawValue), .text(device.rawValue)]
        let owner = "\(TokenSQL.has("d.device_token", "$1")) AND d.user_id <> $2 AND \(isTheirs("d"))"
        guard
            try await !transaction.query("SELECT FROM devices d WHERE \(owner)", Array(key.prefix(2))).isEmpty
        else { return nil }
        // A claim that was stored in clear, or under an older key, is to the same token.
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

    /// The nonce by which the owner of a device token refuses a claim; nil when there is none.
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

    /// What an echo is about.
    struct Claim: Sendable {
        /// In its stored form.
        var token: String
        var owner: UserID
        var ownersDevice: DeviceID
        /// The owner has the phone: nothing moves.
        var isRefused: Bool
    }

    /// The claim whose nonce the claimant or the owner echoes. It is over with that; its record stays, so that the token gets no
    /// other nonce before the hour is over.
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

    /// 128 bits of the system's.
    private static func nonce() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let part = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - part.count) + part
        }.joined()
    }
}
