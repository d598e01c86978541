import FoundationEssentials
import Tokens

/// Finds out who sends a request.
struct Authenticator: Sendable {
    let verifier: BearerTokenVerifier
    let keys: KeySource
    /// Nil: no key is taken.
    var apiKey: APIKey?
    /// Seconds since 1970.
    var now: @Sendable () -> Int = { Int(Date.now.timeIntervalSince1970) }

    /// Credentials that were looked at and are no good.
    struct Refused: Error, Hashable {
        /// From a fixed set, for the log.
        let kind: String
        /// A sentence without anything the client sent.
        let reason: String

        var isToken: Bool { kind.hasPrefix("bearer-token/") }

        /// It was good once.
        var isExpired: Bool { kind == "bearer-token/expired" }

        fileprivate init(_ kind: String, _ reason: String) {
            self.kind = kind
            self.reason = reason
        }

        fileprivate init(_ error: BearerTokenError) { self.init("bearer-token/\(error.kind)", "\(error)") }
    }

    /// - Parameters:
    ///   - authorization: the header `Authorization`.
    ///   - apiKey: the header `X-API-Key`.
    /// - Throws: `Refused`, which becomes a 401; `Problem` when there is nothing to look at or to check it with.
    func caller(authorization: String?, apiKey key: String?) async throws -> Caller {
        guard let key else { return .user(try await claims(authorization)) }
        // Whoever sends both does not know who he is: neither is preferred.
        guard authorization == nil else {
            throw Refused("credentials/two", "there is a bearer token and an API key; send one of them")
        }
        guard let apiKey else { throw Refused("api-key/not-in-use", "no API key is in use here") }
        guard apiKey.matches(key) else { throw Refused("api-key/unknown", "the API key is not known") }
        return .server(keyName: apiKey.name)
    }

    private func claims(_ header: String?) async throws -> BearerClaims {
        guard let header else { throw Problem.unauthorized("there is no bearer token", isToken: false) }
        guard let token = Self.bearerToken(header) else {
            throw Problem.unauthorized("the Authorization header is not 'Bearer' and a token")
        }
        guard let set = await keys.current() else { throw Self.noKeys }
        do {
            return try claims(token, set)
        } catch BearerTokenError.unknownKey {
            guard let newer = await keys.afterUnknownKey() else { throw Self.noKeys }
            do {
                return try claims(token, newer)
            } catch { throw Refused(error) }
        } catch { throw Refused(error) }
    }

    /// What stands behind "Bearer", in any case, and the only space.
    private static func bearerToken(_ header: String) -> String? {
        // Over its bytes: a token is long, and to take it apart into characters costs more than to check its signature.
        let bytes = Array(header.utf8)
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            String(decoding: bytes[..<space], as: UTF8.self).lowercased() == "bearer"
        else { return nil }
        let token = bytes[(space + 1)...]
        guard !token.contains(UInt8(ascii: " ")) else { return nil }
        return String(decoding: token, as: UTF8.self)
    }

    private func claims(_ token: String, _ set: JWKS) throws(BearerTokenError) -> BearerClaims {
        let now = now()
        return try keys.verified.claims(of: token, keys: set, now: now) { () throws(BearerTokenError) in
            try verifier.verify(token, keys: set, now: now)
        }
    }

    private static let noKeys = Problem.unavailable("tokens cannot be checked: the issuer's keys are not known")
}
