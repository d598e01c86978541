/// The tokens that answer a sign-in or a refresh. Their description contains none of them.
struct CognitoTokens: Decodable, Sendable, CustomStringConvertible {
    var accessToken: String
    var idToken: String?
    /// The refresh token; nil in the answer to a refresh, where the old one stays valid.
    var refreshToken: String?
    /// The lifetime of the access token, in seconds.
    var expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case accessToken = "AccessToken"
        case idToken = "IdToken"
        case refreshToken = "RefreshToken"
        case expiresIn = "ExpiresIn"
    }

    var description: String { "tokens" }
}
