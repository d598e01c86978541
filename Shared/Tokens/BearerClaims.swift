/// What a verified bearer token says.
public struct BearerClaims: Hashable, Sendable {
    public enum Use: String, Hashable, Sendable { case access, id }

    /// The user: a UUID, in small letters, as Cognito writes it. However else it is written, it is the same user.
    public let sub: String
    public let tokenUse: Use
    /// The app it was made for: `client_id` of an access token, `aud` of an id token.
    public let clientID: String
    /// Seconds since 1970.
    public let expiresAt: Int
    public let issuedAt: Int
    /// `cognito:groups`.
    public let groups: Set<String>

    public var isAdmin: Bool { groups.contains("admin") }
}
