/// Judges `authorization` as APNs does.
public struct ProviderTokenCheck: Sendable {
    /// Apple takes a token for an hour from its `iat`.
    public static let lifetimeSeconds = 3_600
    /// How far `iat` may lie in the future, for clocks that disagree.
    public static let clockSkewSeconds = 60

    public var keyID: String
    public var teamID: String
    /// Whether a 64-byte signature over some bytes was made with the team's key.
    public var isSigned: @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool

    public init(
        keyID: String, teamID: String, isSigned: @escaping @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.isSigned = isSigned
    }

    /// Why a request with this `authorization` header is refused; nil when it is not.
    ///
    /// - Parameter now: seconds since 1970.
    public func refusal(of authorization: String?, now: Int) -> APNsReason? {
        guard let authorization, !authorization.isEmpty else { return .missingProviderToken }
        guard let claims = ProviderTokenClaims(authorization: authorization), claims.algorithm == "ES256",
            claims.keyID == keyID, claims.teamID == teamID,
            isSigned(claims.signature, claims.signedBytes)
        else { return .invalidProviderToken }
        // Signed but dated later than our clock: not a token that will become good, but a sender with a wrong clock.
        if claims.issuedAt > now + Self.clockSkewSeconds { return .invalidProviderToken }
        return claims.issuedAt <= now - Self.lifetimeSeconds ? .expiredProviderToken : nil
    }
}
