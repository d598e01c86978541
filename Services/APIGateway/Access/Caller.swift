import Tokens
/// The identity behind a request.
enum Caller: Hashable, Sendable {
    /// A user of the app, identified by a bearer token.
    case user(BearerClaims)
    /// An operator's server, identified by an API key.
    case server(keyName: String)

    /// Whether the caller may use the administrators' calls.
    var isAdmin: Bool {
        switch self {
        case .user(let claims): claims.isAdmin
        case .server: true
        }
    }

    /// The user's claims, for calls that only a user can make.
    /// - Throws: `Problem` for a server, which has neither phone nor follows.
    var claims: BearerClaims {
        get throws {
            guard case .user(let claims) = self else {
                throw Problem.unauthorized("this call is a user's: it needs a bearer token, not an API key")
            }
            return claims
        }
    }
}
