/// The SQL that gateways and coordinators share about claims to a phone, rows of `phone_claims`. A claim is a device
/// token of another user's that an account has registered; the phone is asked by a silent push with a nonce.
package enum PhoneClaimSQL {
    /// The time for which a nonce is valid, and between two pushes on behalf of one account.
    package static let validity = "interval '1 hour'"
    /// The time after which a claim that was not renewed is closed: it may wait for its push for an hour, and the push
    /// for its echo.
    package static let lifetime = "interval '2 hours'"
    /// The time for which an account waits after the phone has refused it.
    package static let refusal = "interval '24 hours'"
    /// The most pushes with nonces to one token in an hour. iOS delivers two or three an hour to an app.
    package static let pushesMax = 3
    /// The most claims to one token that wait for a push to one host (`environment`) at a time. Few people share a
    /// phone; any push to it serves them all, so one that finds no place here waits for those of the others.
    package static let waitingMax = 10

    /// A condition on a row: its user may echo any open nonce of the token.
    package static func isOpen(_ row: String) -> String {
        "(\(row).challenge IS NOT NULL AND \(row).claimed_at > clock_timestamp() - \(lifetime))"
    }

    /// A condition on a row: the nonce of its challenge has left, and may be echoed.
    package static func hasOpenNonce(_ row: String) -> String {
        "(\(row).challenge IS NOT NULL AND \(wasSent(row)))"
    }

    /// A condition on a row: a push with a nonce has left on its behalf within the hour.
    package static func wasSent(_ row: String) -> String {
        "(\(row).sent_at IS NOT NULL AND \(row).sent_at > clock_timestamp() - \(validity))"
    }

    /// A condition on a row: it is refused.
    package static func isRefused(_ row: String) -> String {
        "coalesce(\(row).refused_at > clock_timestamp() - \(refusal), false)"
    }

    /// A condition: the token may get another push with a nonce now.
    /// - Parameter key: the token's key.
    package static func mayAsk(_ key: String) -> String {
        """
        ((SELECT count(*) FROM phone_claims AS s WHERE s.token_key = \(key) AND \(wasSent("s"))) < \(pushesMax))
        """
    }

    /// The newest open nonce of a row `c` of `devices`, as `n.challenge` with its end `n.nonce_until` (seconds); null
    /// if there is none. Every silent push to the phone carries it, because any of them may be the one that arrives.
    package static let openNonce = """
        LEFT JOIN LATERAL (
            SELECT p.challenge, \(end("p")) AS nonce_until FROM phone_claims AS p
            WHERE p.token_key = token_key(c.device_token) AND \(hasOpenNonce("p"))
            ORDER BY p.sent_at DESC LIMIT 1
        ) AS n ON true
        """

    /// The end of a row's nonce, in seconds since 1970.
    package static func end(_ row: String) -> String {
        "floor(extract(epoch FROM \(row).sent_at + \(validity)))::bigint"
    }

    /// The beginning of the name under which claims of a deleted account stay. No account is called so.
    package static let deleted = "'deleted '"

    /// Erases an account's claims. A push of the last hour still counts, and its nonce is good, without the account. A
    /// refusal stays for its time under a keyed hash of the account (`$2`), because who is refused could otherwise delete
    /// the account, sign in again and claim at once. Without a key there is no such hash, and it is forgotten.
    package static let erase = """
        WITH gone AS (
            DELETE FROM phone_claims WHERE user_id = $1
            RETURNING token_key, claimed_at, challenge, sent_at, refused_at
        )
        INSERT INTO phone_claims (token_key, user_id, device_id, claimed_at, challenge, sent_at, refused_at)
        SELECT token_key,
            \(deleted) || coalesce(CASE WHEN \(isRefused("gone")) THEN $2::text END, gen_random_uuid()::text),
            '', claimed_at, challenge, sent_at, refused_at
        FROM gone WHERE \(wasSent("gone")) OR \(isRefused("gone"))
        -- The account was refused and deleted before, and that refusal is over.
        ON CONFLICT (token_key, user_id) DO UPDATE
        SET claimed_at = excluded.claimed_at, challenge = excluded.challenge, sent_at = excluded.sent_at,
            refused_at = excluded.refused_at
        """
}
