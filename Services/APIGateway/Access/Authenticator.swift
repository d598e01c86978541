import Tokens

/// Finds out who sends a request, from its bearer token or its API key.
struct Authenticator: Sendable {
    let verifier: BearerTokenVerifier
    let keys: KeySource
    /// The key that `X-API-Key` is compared with; with nil the header is refused.
    var apiKey: APIKey?
    /// The time now, in seconds since 1970: PostgreSQL's, because this machine's clock may be wrong.
    let now: @Sendable () -> Int

    /// The credentials were checked and are not valid.
    struct Refused: Error, Hashable {
        /// The kind of refusal, for the log; it comes from a fixed set.
        let kind: String
        /// A sentence without anything that the client sent.
        let reason: String

        var isToken: Bool { kind.hasPrefix("bearer-token/") }

        /// Whether the token was valid once and has expired.
        var isExpired: Bool { kind == "bearer-token/expired" }

        fileprivate init(_ kind: String, _ reason: String) {
            self.kind = kind
            self.reason = reason
        }

        fileprivate init(_ error: BearerTokenError) { self.init("bearer-token/\(error.kind)", "\(error)") }
    }

    /// Identifies the caller of a request.
    /// - Parameters:
    ///   - authorization: the header `Authorization`.
    ///   - apiKey: the header `X-API-Key`.
    /// - Throws: `Refused`, which becomes a 401; `Problem` if there are no credentials, or no keys to check them with.
    func caller(authorization: String?, apiKey key: String?) async throws -> Caller {
        guard let key else { return .user(try await claims(authorization)) }
        // A request with both is refused, because the two could name different callers.
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
    /// Returns the token after "Bearer", which may be in any case, and exactly one space.
    private static func bearerToken(_ header: String) -> String? {
        // The bytes are searched because a token is long: splitting it into characters costs more than checking its
        // signature.
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
