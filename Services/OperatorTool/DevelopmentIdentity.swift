import FoundationEssentials
import Glibc
import Tokens

/// The development issuer's key and the tokens it makes: the stand-in for a Cognito user pool. All processes with the
/// same folder have the same key, which the first of them makes.
public struct DevelopmentIdentity: Sendable {
    static let keyFileName = "issuer-key.pem"

    private let signer: RS256Signer

    /// - Parameter folder: the folder of the key, which is kept in a file that only its owner may read.
    public init(folder: String) throws {
        let path = "\(folder)/\(Self.keyFileName)"
        if TextFile.read(path) == nil {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Self.makeKey(at: path)
        }
        guard let pem = TextFile.read(path) else { throw UpError("cannot read the development issuer's key \(path)") }
        signer = try RS256Signer(pem: pem)
    }

    /// The JSON that the issuer publishes at `/.well-known/jwks.json`.
    var jwks: String { signer.jwks }

    /// An access token as Cognito makes them.
    ///
    /// - Parameters:
    ///   - issuer: the `iss`; the gateway compares it with its `COGNITO_ISSUER`.
    ///   - lifetime: seconds until it expires.
    public func token(
        user: String, isAdmin: Bool, issuer: String, clientID: String, lifetime: Int = 86_400,
        now: Int? = nil
    ) throws -> String {
        struct Claims: Encodable {
            var sub: String
            var iss: String
            var client_id: String
            var token_use = "access"
            var scope = "aws.cognito.signin.user.admin"
            var username: String
            var auth_time: Int
            var iat: Int
            var exp: Int
            var groups: [String]?

            enum CodingKeys: String, CodingKey {
                case sub, iss, client_id, token_use, scope, username, auth_time, iat, exp
                case groups = "cognito:groups"
            }
        }
        let issued = now ?? Int(Date.now.timeIntervalSince1970)
        let claims = Claims(
            sub: try Self.subject(of: user), iss: issuer, client_id: clientID, username: user, auth_time: issued,
            iat: issued,
            exp: issued + lifetime, groups: isAdmin ? ["admin"] : nil)
        return try signer.token(claims: [UInt8](try JSONEncoder().encode(claims)))
    }

    /// The id of a user. A name is the same user everywhere: a UUID of version 8 (RFC 9562) from the name's SHA-256.
    static func subject(of user: String) throws -> String {
        var bytes = Array(try SHA256Digest.of(Array("sightscreen user \(user)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Makes the key. Two processes may do this at once: each writes a draft beside the file and links it there, which
    /// only one can.
    private static func makeKey(at path: String) throws {
        let draft = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        try TextFile.write(try RS256Signer.generate().pem, to: draft)
        defer { unlink(draft) }
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw UpError("cannot write the development issuer's key \(path)")
        }
    }
}
