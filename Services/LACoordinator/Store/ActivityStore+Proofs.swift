import Postgres
import Store
package import SightscreenModels

extension ActivityStore {
    /// A token that APNs has answered with its first 200. Update tokens are not recorded: `BucketProgress` says which
    /// phones show a state.
    package enum ProvenToken: Hashable, Sendable {
        case start(PushToStartToken, UserID, DeviceID)
        case device(DeviceToken, UserID, DeviceID)
    }

    /// Records that APNs has accepted a push to these tokens under our topic. Only the first proof of a token is kept.
    package func prove(_ tokens: [ProvenToken]) async throws {
        typealias Proof = (user: UserID, device: DeviceID, start: TokenVault.Keys?, other: TokenVault.Keys?)
        let rows = try tokens.map { token -> Proof in
            switch token {
            case .start(let token, let user, let device): (user, device, try vault.keys(of: token.rawValue), nil)
            case .device(let token, let user, let device): (user, device, nil, try vault.keys(of: token.rawValue))
            }
        }
        try await pool.execute(
            """
            WITH proven AS (
                SELECT user_id, device_id, array_agg(start_key) AS start_keys, array_agg(device_key) AS device_keys
                FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
                    AS one (user_id, device_id, start_key, device_key)
                GROUP BY user_id, device_id
            ), locked AS (
                -- In the order of everybody else. A proof for another bundle id is none.
                SELECT d.user_id, d.device_id, p.start_keys, p.device_keys,
                    CASE WHEN d.proven_bundle = $5 THEN d.start_token_proven_at END AS start_at,
                    CASE WHEN d.proven_bundle = $5 THEN d.device_token_proven_at END AS device_at
                FROM devices d JOIN proven p ON p.user_id = d.user_id AND p.device_id = d.device_id
                ORDER BY d.user_id, d.device_id FOR UPDATE OF d
            )
            UPDATE devices d SET
                start_token_proven_at = CASE WHEN token_key(d.push_to_start_token) = ANY (l.start_keys)
                    THEN coalesce(l.start_at, clock_timestamp()) ELSE l.start_at END,
                device_token_proven_at = CASE WHEN token_key(d.device_token) = ANY (l.device_keys)
                    THEN coalesce(l.device_at, clock_timestamp()) ELSE l.device_at END,
                proven_bundle = $5
            FROM locked l WHERE d.user_id = l.user_id AND d.device_id = l.device_id
            """,
            [
                .textArray(rows.map(\.user.rawValue)), .textArray(rows.map(\.device.rawValue)),
                .textArray(rows.map(\.start?.lookup)), .textArray(rows.map(\.other?.lookup)), .text(bundleID),
            ])
    }

    /// Whether APNs has ever accepted a start or a push to an app on this host under our topic, as far as is known.
    package func hasProofs(in environment: APNsEnvironment) async throws -> Bool {
        try await !pool.query(
            """
            SELECT FROM devices WHERE proven_bundle = $1 AND environment = $2
                AND (start_token_proven_at IS NOT NULL OR device_token_proven_at IS NOT NULL) LIMIT 1
            """, [.text(bundleID), .text(environment.rawValue)]
        ).isEmpty
    }
}
