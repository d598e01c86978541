/// A user's session as it is stored. Its description contains only the user's id.
struct StoredSession: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The app client that the tokens belong to. Tokens of another app client are useless.
    var clientID: String
    var user: AppUser
    var accessToken: String
    var refreshToken: String
    /// The access token's end in seconds since 1970, by this phone's clock. The server's clock does not matter.
    var expiresAt: Int

    var description: String { "session of \(user.id)" }
}

/// The addresses to which a code was sent. They are stored because the app may be closed while its user looks for the
/// message.
struct PendingCodes: Codable, Hashable, Sendable {
    /// The email of an account that is not verified yet.
    var verification: String?
    /// The email of an account whose password is being reset.
    var reset: String?
}
