/// Checks the `authorization` header as APNs does.
struct ProviderTokenCheck: Sendable {
    /// Seconds from its `iat` for which Apple accepts a token.
    static let lifetimeSeconds = 3_600
    /// Seconds by which `iat` may lie in the future, because clocks disagree.
    static let clockSkewSeconds = 60

    var keyID: String
    var teamID: String
    /// Tells whether a 64-byte signature over some bytes was made with the team's key.
    var isSigned: @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool

    /// Returns why a request with this `authorization` header is refused; nil when it is not.
    ///
    /// - Parameter now: seconds since 1970.
    func refusal(of authorization: String?, now: Int) -> Refusal? {
        guard let authorization, !authorization.isEmpty else { return .missingProviderToken }
        guard let claims = ProviderTokenClaims(authorization: authorization), claims.algorithm == "ES256",
            claims.keyID == keyID, claims.teamID == teamID,
            isSigned(claims.signature, claims.signedBytes)
        else { return .invalidProviderToken }
        // A signed token that is dated later than our clock comes from a sender with a wrong clock, so it is refused as
        // invalid.
        if claims.issuedAt > now + Self.clockSkewSeconds { return .invalidProviderToken }
        return claims.issuedAt <= now - Self.lifetimeSeconds ? .expiredProviderToken : nil
    }
}
