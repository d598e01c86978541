import Postgres
import SightscreenModels

extension UserDevices {
    /// The most phones of one user, more than a user has in use. Starts go to every phone, so this also bounds what one
    /// account can make APNs do.
    static let devicesMax = 10
    /// The most phones of a user that have given way and left records of activities, which stay until their matches are
    /// over. Without this bound one phone under ever new names would leave records without end.
    static let formerDevicesMax = 10
    /// A phone that was unseen for this many days gives way to a new one.
    static let unseenDays = 30

    /// Makes sure that a phone can have a record. If it has none and the user has as many phones as allowed, a phone
    /// gives way that gets no pushes: without tokens, or unseen for `unseenDays`. The one unseen for longest goes
    /// first, and one that is still owed an end goes last. Activities on it end. None gives way once `formerDevicesMax` have
    /// done so of late.
    ///
    /// It must be called under the user's lock, so that two requests cannot both take the last place.
    /// - Returns: the matches whose activities changed.
    /// - Throws: `LimitReached`, `PostgresError`.
    @discardableResult
    static func makeRoom(
        _ transaction: PostgresTransaction, user: UserID, device: DeviceID
    ) async throws -> Set<MatchID> {
        let counts = try await transaction.query(
            """
            SELECT count(*) AS all_phones, count(*) FILTER (WHERE device_id = $2) AS own
            FROM devices WHERE user_id = $1
            """, [.text(user.rawValue), .text(device.rawValue)])
        guard let row = counts.first else { throw PostgresError(.decoding, "no count of devices") }
        let tooMany = try row.int("all_phones") - devicesMax + 1
        if try row.int("own") > 0 || tooMany <= 0 { return [] }
        let former = try await transaction.query(
            """
            SELECT count(DISTINCT l.device_id) AS former FROM live_activities AS l
            WHERE l.user_id = $1 AND l.device_id <> $2
                AND NOT EXISTS (SELECT FROM devices AS d WHERE d.user_id = l.user_id AND d.device_id = l.device_id)
            """, [.text(user.rawValue), .text(device.rawValue)])
        guard try former.first?.int("former") ?? 0 < formerDevicesMax else { throw LimitReached(.devices) }
        let gone = try await transaction.query(
            """
            DELETE FROM devices AS d USING (
                SELECT p.device_id FROM devices AS p
                WHERE p.user_id = $1
                    AND (p.device_token IS NULL AND p.push_to_start_token IS NULL
                        OR p.last_seen_at < clock_timestamp() - interval '\(unseenDays) days')
                ORDER BY EXISTS (
                    SELECT FROM live_activities AS l
                    WHERE l.user_id = p.user_id AND l.device_id = p.device_id AND l.end_push = 'due'),
                    p.last_seen_at, p.device_id
                LIMIT $2
            ) AS idle
            WHERE d.user_id = $1 AND d.device_id = idle.device_id
            RETURNING d.device_id
            """, [.text(user.rawValue), .int(tooMany)])
        guard gone.count == tooMany else { throw LimitReached(.devices) }
        var changed: Set<MatchID> = []
        for row in gone {
            changed.formUnion(
                try await PendingStarts.endAll(
                    transaction, user: user, device: DeviceID(try row.string("device_id"))))
        }
        return changed
    }
}
