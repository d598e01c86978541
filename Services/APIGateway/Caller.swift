import Tokens

/// Who sends a request.
enum Caller: Hashable, Sendable {
    /// A user of the app, by a bearer token.
    case user(BearerClaims)
    /// A server of the operator's, by an API key.
    case server(keyName: String)

    /// Whether the administration's calls are open to it.
    var isAdmin: Bool {
        switch self {
        case .user(let claims): claims.isAdmin
        case .server: true
        }
    }

    /// The user's claims, for the calls that are a user's.
    /// - Throws: `Problem`: a server has neither phone nor follows.
    var claims: BearerClaims {
        get throws {
            guard case .user(let claims) = self else {
                throw Problem.unauthorized("this call is a user's: it needs a bearer token, not an API key")
            }
            return claims
        }
    }
}
