import Activities

/// The SQL that the orchestrator and the coordinators share about the fallback of a phone, a row `d` of `devices`.
package enum StartFallbackSQL {
    /// A condition: an activity of `match` should exist on the phone now and does not.
    package static func isWanted(_ match: String) -> String {
        """
        (EXISTS (
            SELECT FROM match_follows f JOIN active_matches a ON a.match_id = f.match_id
            WHERE f.user_id = d.user_id AND f.match_id = \(match) AND \(followLasts) AND \(LiveMatch.condition))
        AND NOT EXISTS (
            SELECT FROM live_activities o WHERE o.user_id = d.user_id AND o.device_id = d.device_id
                AND o.match_id = \(match) AND o.status = 'active'))
        """
    }

    /// A condition on a row `f` of `match_follows`: it has not expired.
    package static let followLasts = "(f.expires_at IS NULL OR f.expires_at > clock_timestamp())"

    /// The assignments when the app is awake: it has registered a start token that may work, or is about to.
    package static let registered = """
        fallback_step = 'none', fallback_push = 'none', fallback_match_id = NULL,
        fallback_at = clock_timestamp()
        """

    /// The assignments when the phone has left its user.
    package static let forgotten = """
        \(registered), fallback_token_hash = NULL, fallback_began_at = NULL,
        dead_start_token_hash = NULL
        """

    /// The hash by which a start token is recognized again; a dead token itself is not kept.
    /// - Parameter key: the token's `token_key`.
    package static func hash(_ key: String) -> String { "encode(sha256(convert_to(\(key), 'UTF8')), 'hex')" }

    /// The hashes of a token.
    /// - Parameter keys: the SQL parameter with the result of `TokenVault.parameter`.
    package static func hashes(_ keys: String) -> String {
        "ARRAY(SELECT \(hash("k.key")) FROM unnest(\(keys)::text[]) AS k (key))"
    }

    /// A condition on a row of `devices`: it had the start token of these hashes before its present one.
    package static func wasFormer(_ hashes: String, of row: String) -> String {
        "coalesce(\(hashes) && \(row).former_start_tokens, false)"
    }

    /// The hash of the phone's start token, or of its last one if that is dead.
    package static let tokenHash = "coalesce(\(hash("token_key(d.push_to_start_token)")), d.dead_start_token_hash, '')"

    /// The seconds of a duration as SQL.
    package static func seconds(_ duration: Duration) -> String { "interval '\(duration.components.seconds) seconds'" }
}
