public import SightscreenModels
/// The signed-in user.
public struct AppUser: Codable, Hashable, Sendable {
    /// The `sub` of the user's tokens.
    public var id: UserID
    public var email: String
    /// Whether to show the administrators' part of the app. The value is read from the token's `cognito:groups` and
    /// grants nothing: the gateway verifies the token and decides itself.
    public var isAdmin: Bool

    public init(id: UserID, email: String, isAdmin: Bool = false) {
        self.id = id
        self.email = email
        self.isAdmin = isAdmin
    }
}
