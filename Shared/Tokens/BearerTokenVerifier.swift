/// Checks the bearer tokens of Amazon Cognito strictly: exactly RS256, exactly the key that `kid` names, and every
/// claim of the type and form that Cognito gives it. Anything unknown is refused.
public struct BearerTokenVerifier: Sendable {
    /// The longest token that is read, in bytes.
    public static let tokenBytesMax = 8192
    /// The allowed difference between the issuer's clock and ours, in seconds.
    public static let leeway = 60
    /// The longest time from `iat` to `exp` that Cognito allows, in seconds. A deleted account is remembered for twice
    /// as long, so that its tokens have expired by then.
    public static let lifetimeMax = 86_400

    private let issuer: String
    private let clientIDs: Set<String>

    /// - Parameters:
    ///   - issuer: the user pool's URL, which `iss` must equal.
    ///   - clientIDs: the app clients whose tokens are accepted.
    package init(issuer: String, clientIDs: Set<String>) {
        self.issuer = issuer
        self.clientIDs = clientIDs
    }

    /// Checks the signature and the claims of a token.
    /// - Parameter now: seconds since 1970.
    public func verify(_ token: String, keys: JWKS, now: Int) throws(BearerTokenError) -> BearerClaims {
        let text = Array(token.utf8)
        let bytes = text.span
        guard bytes.count <= Self.tokenBytesMax else { throw .malformed("over 8 KiB") }
        guard let (first, second) = Self.dots(bytes) else { throw .malformed("not three parts") }
        guard let header = Base64URL.decode(bytes.extracting(0..<first)),
            let payload = Base64URL.decode(bytes.extracting((first + 1)..<second)),
            let signature = Base64URL.decode(bytes.extracting((second + 1)..<bytes.count)), !signature.isEmpty
        else { throw .malformed("not base64url") }
        let keyID = try keyID(in: try object(header, "header"))
        guard let key = keys.key(keyID) else { throw .unknownKey }
        guard key.verifySHA256(signature, of: bytes.extracting(0..<second)) else { throw .badSignature }
        return try claims(in: try object(payload, "claims"), now: now)
    }

    /// Returns the places of the two dots; nil if there are more, or fewer.
    private static func dots(_ bytes: Span<UInt8>) -> (Int, Int)? {
        var first: Int?
        var second: Int?
        for index in 0..<bytes.count where bytes[index] == UInt8(ascii: ".") {
            guard second == nil else { return nil }
            if first == nil { first = index } else { second = index }
        }
        guard let first, let second else { return nil }
        return (first, second)
    }

    private func object(_ bytes: [UInt8], _ name: String) throws(BearerTokenError) -> [String: JSONValue] {
        let value: JSONValue
        do { value = try JSONValue(strict: bytes, depthMax: 8) } catch { throw .malformed("\(name): \(error)") }
        guard let object = value.object else { throw .malformed("\(name): not an object") }
        return object
    }

    /// Checks the header before any cryptography: the algorithm is our choice, never the token's, and keys come from
    /// the issuer, never from the token.
    private func keyID(in header: [String: JSONValue]) throws(BearerTokenError) -> String {
        guard header["alg"]?.string == "RS256" else { throw .unsupportedHeader("alg is not RS256") }
        for name in ["jku", "x5u", "jwk", "x5c", "crit", "b64", "zip", "enc"] where header[name] != nil {
            throw .unsupportedHeader("it has \(name)")
        }
        if let type = header["typ"] {
            guard let name = type.string?.lowercased(), name == "jwt" || name == "at+jwt" else {
                throw .unsupportedHeader("typ is not JWT")
            }
        }
        guard let id = header["kid"]?.string, JWKS.isKeyID(id) else { throw .unsupportedHeader("kid is no key id") }
        return id
    }

    private func claims(in claims: [String: JSONValue], now: Int) throws(BearerTokenError) -> BearerClaims {
        guard let iss = claims["iss"]?.string else { throw .badClaim("iss") }
        guard Self.isSame(iss, issuer) else { throw .wrongIssuer }
        let expiresAt = try time("exp", in: claims)
        let issuedAt = try time("iat", in: claims)
        guard now < expiresAt + Self.leeway else { throw .expired(at: expiresAt) }
        guard issuedAt <= now + Self.leeway else { throw .notYetValid }
        guard expiresAt - issuedAt <= Self.lifetimeMax else { throw .longLived }
        if claims["nbf"] != nil, try time("nbf", in: claims) > now + Self.leeway { throw .notYetValid }
        guard let use = claims["token_use"]?.string.flatMap(BearerClaims.Use.init) else { throw .badClaim("token_use") }
        let clientClaim = use == .access ? "client_id" : "aud"
        guard let client = claims[clientClaim]?.string else { throw .badClaim(clientClaim) }
        guard clientIDs.contains(where: { Self.isSame($0, client) }) else { throw .wrongClient }
        guard let sub = claims["sub"]?.string, Self.isUUID(sub) else { throw .badClaim("sub") }
        return BearerClaims(
            sub: sub.lowercased(), tokenUse: use, clientID: client, expiresAt: expiresAt, issuedAt: issuedAt,
            groups: try groups(in: claims))
    }

    /// Reads a time: whole seconds between 1970 and the year 9999.
    private func time(_ name: String, in claims: [String: JSONValue]) throws(BearerTokenError) -> Int {
        guard let time = claims[name]?.integer, (0...253_402_300_799).contains(time) else { throw .badClaim(name) }
        return time
    }

    private func groups(in claims: [String: JSONValue]) throws(BearerTokenError) -> Set<String> {
        guard let value = claims["cognito:groups"] else { return [] }
        guard let elements = value.array else { throw .badClaim("cognito:groups") }
        var groups: Set<String> = []
        for element in elements {
            guard let group = element.string else { throw .badClaim("cognito:groups") }
            groups.insert(group)
        }
        return groups
    }

    /// Compares byte for byte, because in Swift's own equality a KELVIN SIGN equals a K.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// Returns whether the text is 8-4-4-4-12 hexadecimal digits.
    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: byte.hexDigitValue != nil
            }
        }
    }
}
