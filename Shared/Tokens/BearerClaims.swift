/// The claims of a verified bearer token.
public struct BearerClaims: Hashable, Sendable {
    public enum Use: String, Hashable, Sendable { case access, id }

    /// The user: a UUID in lower case, as Cognito writes it. A token that writes it otherwise is of the same user.
    public let sub: String
    public let tokenUse: Use
    /// The app client that the token was made for: `client_id` of an access token, `aud` of an id token.
    public let clientID: String
    /// Seconds since 1970, like `issuedAt`.
    public let expiresAt: Int
    public let issuedAt: Int
    /// The claim `cognito:groups`.
    public let groups: Set<String>

    public var isAdmin: Bool { groups.contains("admin") }
}
