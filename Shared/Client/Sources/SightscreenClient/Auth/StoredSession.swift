/// A user's session as it is kept. It prints only whose it is.
struct StoredSession: Codable, Hashable, Sendable, CustomStringConvertible {
    /// Another app client's tokens are of no use.
    var clientID: String
    var user: AppUser
    var accessToken: String
    var refreshToken: String
    /// Seconds since 1970, by this phone's clock: that of others does not matter.
    var expiresAt: Int

    var description: String { "session of \(user.id)" }
}

/// Addresses that a code was sent to. The app may be closed while its user looks for the message.
struct PendingCodes: Codable, Hashable, Sendable {
    /// Of an account that is not verified.
    var verification: String?
    /// Of an account whose password was forgotten.
    var reset: String?
}
