import Postgres
import SightscreenModels
import Store

/// APNs has accepted the token as one of another kind.
package struct TokenOfAnotherKind: Error, Hashable, Sendable {
    package init() {}
}

/// The kinds of push token that a phone's record has. A token is of one kind: what APNs accepts as a device token is no
/// start token. Anybody can register a token as another kind than it is, so only an acceptance says which it is, and
/// until then a user's registration takes nothing from another user: the token stands as both.
enum TokenKind: CaseIterable {
    case device, start

    private var column: String {
        switch self {
        case .device: "device_token"
        case .start: "push_to_start_token"
        }
    }

    private var isProven: String {
        switch self {
        case .device: "device_token_proven_at IS NOT NULL"
        case .start: "start_token_proven_at IS NOT NULL"
        }
    }

    /// The assignments that take the token from a phone.
    var taken: String {
        switch self {
        case .device: "device_token = NULL, device_token_at = NULL, device_token_proven_at = NULL"
        case .start:
            """
            push_to_start_token = NULL, push_to_start_token_at = NULL, start_token_proven_at = NULL,
                \(StartFallbackSQL.forgotten)
            """
        }
    }

    /// Selects which of the keys `$1` stand as tokens of this kind, with the places `i` of the keys.
    var standing: String {
        """
        SELECT r.i::int AS i, o.\(isProven) AS is_proven
        FROM unnest($1::text[]) WITH ORDINALITY AS r (key, i) CROSS JOIN LATERAL (
            SELECT d.device_token_proven_at, d.start_token_proven_at FROM devices d
            WHERE token_key(d.\(column)) = r.key LIMIT 1) AS o
        """
    }

    /// Takes tokens of the keys `$1` from phones of the users `$2` where they stand as this kind and are not proven.
    var giveWay: String {
        """
        UPDATE devices SET \(taken) FROM unnest($1::text[], $2::text[]) AS r (key, holder)
        WHERE token_key(\(column)) = r.key AND user_id = r.holder AND NOT \(isProven)
        """
    }

    /// Has a token that stands as this kind give way to one that the same user registers as another.
    /// - Parameter keys: the result of `TokenVault.parameter`.
    /// - Throws: `TokenOfAnotherKind` if APNs has accepted it as this kind, whoever has it.
    func yield(_ keys: PostgresValue, _ user: UserID, _ transaction: PostgresTransaction) async throws {
        guard let standing = try await transaction.query(standing, [keys]).first else { return }
        if try standing.bool("is_proven") { throw TokenOfAnotherKind() }
        try await transaction.execute(giveWay, [keys, .textArray([user.rawValue])])
    }
}
