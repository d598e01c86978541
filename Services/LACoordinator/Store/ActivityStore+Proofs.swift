import Postgres
package import SightscreenModels

extension ActivityStore {
    /// A token of a phone that has had its first 200. That of an update token is not noted: `BucketProgress` says which
    /// phones show a state.
    package enum ProvenToken: Hashable, Sendable {
        case start(PushToStartToken, UserID, DeviceID)
        case device(DeviceToken, UserID, DeviceID)
    }

    /// Notes them, once for each token.
    package func prove(_ tokens: [ProvenToken]) async throws {
        let rows = tokens.map { token -> (user: UserID, device: DeviceID, start: String?, other: String?) in
            switch token {
            case .start(let token, let user, let device): (user, device, token.rawValue, nil)
            case .device(let token, let user, let device): (user, device, nil, token.rawValue)
            }
        }
        try await pool.execute(
            """
            WITH proven AS (
                SELECT user_id, device_id, max(start_token) AS start_token, max(device_token) AS device_token
                FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
                    AS one (user_id, device_id, start_token, device_token)
                GROUP BY user_id, device_id
            ), locked AS (
                -- In the order of everybody else.
                SELECT d.user_id, d.device_id, p.start_token, p.device_token
                FROM devices d JOIN proven p ON p.user_id = d.user_id AND p.device_id = d.device_id
                ORDER BY d.user_id, d.device_id FOR UPDATE OF d
            )
            UPDATE devices d SET
                start_token_proven_at = CASE WHEN d.push_to_start_token = l.start_token
                    THEN coalesce(d.start_token_proven_at, clock_timestamp()) ELSE d.start_token_proven_at END,
                device_token_proven_at = CASE WHEN d.device_token = l.device_token
                    THEN coalesce(d.device_token_proven_at, clock_timestamp()) ELSE d.device_token_proven_at END
            FROM locked l WHERE d.user_id = l.user_id AND d.device_id = l.device_id
            """,
            [
                .textArray(rows.map(\.user.rawValue)), .textArray(rows.map(\.device.rawValue)),
                .textArray(rows.map(\.start)), .textArray(rows.map(\.other)),
            ])
    }
}
