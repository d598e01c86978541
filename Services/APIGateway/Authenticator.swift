import FoundationEssentials
import Tokens

/// Finds out who sends a request.
struct Authenticator: Sendable {
    let verifier: BearerTokenVerifier
    let keys: KeySource
    /// Seconds since 1970.
    var now: @Sendable () -> Int = { Int(Date.now.timeIntervalSince1970) }

    /// - Parameter header: the `Authorization` header.
    /// - Throws: `Problem`; and `Refused`, which becomes one, for a token that was looked at.
    func claims(_ header: String?) async throws -> BearerClaims {
        guard let header else { throw Problem.unauthorized("there is no bearer token") }
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem.unauthorized("the Authorization header is not 'Bearer' and a token")
        }
        guard let set = await keys.current() else { throw Self.noKeys }
        let token = String(parts[1])
        do {
            return try verifier.verify(token, keys: set, now: now())
        } catch BearerTokenError.unknownKey {
            guard let newer = await keys.afterUnknownKey() else { throw Self.noKeys }
            do {
                return try verifier.verify(token, keys: newer, now: now())
            } catch { throw Refused(error: error) }
        } catch { throw Refused(error: error) }
    }

    struct Refused: Error {
        let error: BearerTokenError
    }

    private static let noKeys = Problem.unavailable("tokens cannot be checked: the issuer's keys are not known")
}
