import FoundationEssentials

/// The parts of a provider token (JWT), whose signature is not yet checked.
struct ProviderTokenClaims: Hashable, Sendable {
    var algorithm: String
    /// `kid`, the id of the signing key.
    var keyID: String
    /// `iss`, the team's id.
    var teamID: String
    /// `iat`, seconds since 1970.
    var issuedAt: Int
    /// The bytes that are signed: header and claims as sent, with the dot between.
    var signedBytes: [UInt8]
    /// The signature: R and S, 32 bytes each.
    var signature: [UInt8]

    /// Parses a JWT; fails for a text that is not a JWT with these fields.
    init?(jwt: String) {
        struct Header: Decodable {
            var alg: String
            var kid: String
        }
        struct Claims: Decodable {
            var iss: String
            var iat: Int
        }
        let parts = jwt.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header: Header = Self.decode(parts[0]), let claims: Claims = Self.decode(parts[1]),
            let signature = Self.base64URL(parts[2])
        else { return nil }
        algorithm = header.alg
        keyID = header.kid
        teamID = claims.iss
        issuedAt = claims.iat
        signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = [UInt8](signature)
    }

    /// Parses the value of an `authorization` header: "bearer TOKEN", the scheme in any case.
    init?(authorization: String) {
        let parts = authorization.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        self.init(jwt: String(parts[1]))
    }

    private static func decode<Part: Decodable>(_ text: Substring) -> Part? {
        base64URL(text).flatMap { try? JSONDecoder().decode(Part.self, from: $0) }
    }

    private static func base64URL(_ text: Substring) -> Data? {
        guard !text.contains(where: { $0 == "+" || $0 == "/" || $0 == "=" }) else { return nil }
        var base64 = String(
            text.map { character -> Character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: base64)
    }
}
