import Postgres
import Sightscreen

/// The request does not say which phone it is about, and the user has none or several.
public struct DeviceRequired: Error, Hashable, Sendable {
    public init() {}
}

enum UserDevices {
    /// The phone that is meant: the one named, else the user's only one.
    static func resolve(
        _ transaction: PostgresTransaction, user: UserID, device: DeviceID?
    ) async throws -> DeviceID {
        if let device { return device }
        let rows = try await transaction.query(
            """
            SELECT device_id, device_token IS NOT NULL OR push_to_start_token IS NOT NULL AS reachable
            FROM devices WHERE user_id = $1 ORDER BY last_seen_at DESC LIMIT 20
            """,
            [.text(user.rawValue)])
        let reachable = try rows.filter { try $0.bool("reachable") }
        // One that has signed out keeps its record for a while, without tokens.
        let candidates = reachable.isEmpty ? rows : reachable
        guard candidates.count == 1 else { throw DeviceRequired() }
        return DeviceID(try candidates[0].string("device_id"))
    }

    /// Notes that the phone was seen; makes its record when there is none.
    /// - Throws: `LimitReached`, `PostgresError`.
    static func touch(_ transaction: PostgresTransaction, user: UserID, device: DeviceID) async throws {
        try await makeRoom(transaction, user: user, device: device)
        let route = DeviceRoute(user: user, device: device)
        try await transaction.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard) VALUES ($1, $2, $3, $4)
            ON CONFLICT (user_id, device_id) DO UPDATE SET last_seen_at = clock_timestamp()
            """,
            [.text(user.rawValue), .text(device.rawValue), .int(route.hash), .int(route.shard)])
    }
}
