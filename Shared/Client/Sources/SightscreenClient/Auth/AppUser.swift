public import SightscreenModels

/// Who is signed in.
public struct AppUser: Codable, Hashable, Sendable {
    /// The `sub` of the user's tokens.
    public var id: UserID
    public var email: String
    /// Whether to show what is for administrators. It is read from the token's `cognito:groups` and opens no door: the
    /// gateway verifies the token and judges for itself.
    public var isAdmin: Bool

    public init(id: UserID, email: String, isAdmin: Bool = false) {
        self.id = id
        self.email = email
        self.isAdmin = isAdmin
    }
}
