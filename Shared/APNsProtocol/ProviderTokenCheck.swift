/// Checks the `authorization` header as APNs does.
public struct ProviderTokenCheck: Sendable {
    /// Seconds from its `iat` for which Apple accepts a token.
    public static let lifetimeSeconds = 3_600
    /// Seconds by which `iat` may lie in the future, because clocks disagree.
    public static let clockSkewSeconds = 60

    public var keyID: String
    public var teamID: String
    /// Tells whether a 64-byte signature over some bytes was made with the team's key.
    public var isSigned: @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool

    package init(
        keyID: String, teamID: String, isSigned: @escaping @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.isSigned = isSigned
    }

    /// Returns why a request with this `authorization` header is refused; nil when it is not.
    ///
    /// - Parameter now: seconds since 1970.
    public func refusal(of authorization: String?, now: Int) -> APNsReason? {
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
