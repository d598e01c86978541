import Tokens

/// Who sends a request.
enum Caller: Sendable, Hashable {
    /// A person, by the token of the app's user pool.
    case user(BearerClaims)
    /// A server of the operator's, by the API key.
    case server

    var isAdmin: Bool {
        switch self {
        case .user(let claims): claims.isAdmin
        case .server: true
        }
    }
}
