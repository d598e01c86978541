/// What a sign-in or a refresh is answered with. It prints nothing of it.
struct CognitoTokens: Decodable, Sendable, CustomStringConvertible {
    var accessToken: String
    var idToken: String?
    /// A refresh brings none: the old one stays good.
    var refreshToken: String?
    /// Seconds.
    var expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case accessToken = "AccessToken"
        case idToken = "IdToken"
        case refreshToken = "RefreshToken"
        case expiresIn = "ExpiresIn"
    }

    var description: String { "tokens" }
}
