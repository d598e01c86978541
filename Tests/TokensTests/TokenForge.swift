import Testing
import Tokens

/// Bearer tokens made by hand: good ones, and whatever an attacker could send.
enum TokenForge {
    static let issuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbcK123"
    static let client = "1example23456789Kapp"
    static let now = 1_800_000_000
    static let sub = "6f1c7d3a-9d0b-4c55-8a6e-0123456789ab"
    /// The issuer's key.
    static let signer = newSigner()
    /// A key the issuer never had.
    static let stranger = newSigner()
    static let verifier = BearerTokenVerifier(issuer: issuer, clientIDs: [client, "ipad-app"])

    static func keys() throws -> JWKS { try JWKS(json: Array(signer.jwks.utf8)) }

    static func verify(_ token: String) throws -> BearerClaims {
        try verifier.verify(token, keys: keys(), now: now)
    }

    /// The members of good claims as JSON texts; nil leaves one out.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "iss": "\"\(issuer)\"", "sub": "\"\(sub)\"", "client_id": "\"\(client)\"", "token_use": "\"access\"",
            "exp": "\(now + 3600)", "iat": "\(now)",
        ]
        for (name, value) in changes { members.updateValue(value, forKey: name) }
        return "{"
            + members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
            .joined(separator: ",") + "}"
    }

    static var header: String { #"{"alg":"RS256","kid":"\#(signer.keyID)"}"# }

    static func token(header: String = header, claims: String = claims()) throws -> String {
        try token(headerBytes: Array(header.utf8), claimsBytes: Array(claims.utf8))
    }

    /// Signed with the issuer's key, whatever the bytes are.
    static func token(headerBytes: [UInt8], claimsBytes: [UInt8]) throws -> String {
        try token(headerBytes: headerBytes, claimsBytes: claimsBytes) { try signer.sign($0) }
    }

    /// - Parameter sign: makes the signature of `header.claims`.
    static func token(
        headerBytes: [UInt8] = Array(header.utf8), claimsBytes: [UInt8] = Array(claims().utf8),
        sign: ([UInt8]) throws -> [UInt8]
    ) throws -> String {
        let signed = "\(Base64URL.encode(headerBytes)).\(Base64URL.encode(claimsBytes))"
        return "\(signed).\(Base64URL.encode(try sign(Array(signed.utf8))))"
    }

    /// The refusal's kind, and the claim's name where one is at fault.
    static func refusal(of token: String) throws -> String {
        do {
            _ = try verify(token)
            return "accepted"
        } catch let error as BearerTokenError {
            if case .badClaim(let name) = error { return "bad-claim \(name)" }
            return error.kind
        }
    }

    private static func newSigner() -> RS256Signer {
        do { return try RS256Signer.generate() } catch { fatalError("no test key: \(error)") }
    }
}

/// A token that must be refused, and how.
struct TokenAttack: Sendable, CustomTestStringConvertible {
    var name: String
    var token: String
    /// As `TokenForge.refusal` says it.
    var refusal: String

    init(_ name: String, _ token: String, _ refusal: String) {
        self.name = name
        self.token = token
        self.refusal = refusal
    }

    var testDescription: String { name }
}
