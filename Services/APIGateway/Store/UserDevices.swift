import Activities
import Postgres
import SightscreenModels

/// The request does not name a phone, and the user has none or several.
package struct DeviceRequired: Error, Hashable, Sendable {
    package init() {}
}

enum UserDevices {
    /// Returns the named phone, or the user's only one.
    /// - Throws: `DeviceRequired` if none is named and the user has none or several.
    static func resolve(
        _ transaction: PostgresTransaction, user: UserID, device: DeviceID?
    ) async throws -> DeviceID {
        if let device { return device }
        let rows = try await transaction.query(
            "SELECT (\(onlyOne("$1::text"))) AS device_id", [.text(user.rawValue)])
        guard let device = try rows.first?.optionalString("device_id") else { throw DeviceRequired() }
        return DeviceID(device)
    }

    /// A query for the user's only phone; null if there is none or several. A phone that was signed out keeps its
    /// record for a while, without tokens: it counts only if there is no other.
    ///
    /// - Parameter user: an SQL expression for the user's id.
    static func onlyOne(_ user: String) -> String {
        """
        SELECT CASE WHEN count(*) FILTER (WHERE c.is_reachable) = 1 THEN min(c.device_id) FILTER (WHERE c.is_reachable)
            WHEN count(*) = 1 THEN min(c.device_id) END
        FROM (
            SELECT device_id, device_token IS NOT NULL OR push_to_start_token IS NOT NULL AS is_reachable
            FROM devices WHERE user_id = \(user) ORDER BY last_seen_at DESC LIMIT 20
        ) c
        """
    }

    /// A phone that was seen this recently is not written again: its record is kept for 90 days anyway.
    static let seenInterval = "interval '1 hour'"

    /// Notes that the phone was seen; makes its record if there is none.
    /// - Throws: `LimitReached`, `PostgresError`.
    static func touch(_ transaction: PostgresTransaction, user: UserID, device: DeviceID) async throws {
        try await makeRoom(transaction, user: user, device: device)
        let route = DeviceRoute(user: user, device: device)
        try await transaction.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard) VALUES ($1, $2, $3, $4)
            ON CONFLICT (user_id, device_id) DO UPDATE SET last_seen_at = clock_timestamp(), left_at = NULL
            WHERE devices.last_seen_at < clock_timestamp() - \(seenInterval) OR devices.left_at IS NOT NULL
            """,
            [.text(user.rawValue), .text(device.rawValue), .int(route.hash), .int(route.shard)])
    }
}
