import Testing
import Tokens

/// A signature that `openssl` makes with another algorithm than RS256.
struct OpenSSLSignature: Sendable {
    var name: String
    /// What JWS calls it.
    var alg: String
    var sign: @Sendable ([UInt8]) throws -> [UInt8]

    /// The public key is no secret: a verifier that let the token choose HS256 would take this.
    static let hmacWithThePublicKey = OpenSSLSignature(name: "a MAC keyed with the public key", alg: "HS256") {
        message in
        let pem = try publicPEM()
        let key = pem.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return try output(
            of: "dgst -sha256 -mac HMAC -macopt hexkey:\(key) -binary -out signature message", message)
    }
    static let rs384 = withTheIssuersKey("RSA with SHA-384", "RS384", "-sha384")
    static let rs512 = withTheIssuersKey("RSA with SHA-512", "RS512", "-sha512")
    static let ps256 = withTheIssuersKey(
        "RSA-PSS", "PS256", "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32")
    static let es256 = OpenSSLSignature(name: "ECDSA with another key", alg: "ES256") {
        try ES256Signer(pem: ES256Signer.generatePEM()).sign($0)
    }

    private static func withTheIssuersKey(_ name: String, _ alg: String, _ options: String) -> OpenSSLSignature {
        OpenSSLSignature(name: name, alg: alg) {
            try output(of: "dgst \(options) -sign key.pem -out signature message", $0)
        }
    }

    private static func publicPEM() throws -> [UInt8] {
        let (succeeded, pem) = OpenSSLCommand.run(
            "pkey -in key.pem -pubout -out public.pem", files: ["key.pem": Array(try TokenForge.signer.pem.utf8)],
            output: "public.pem")
        try #require(succeeded)
        return pem
    }

    private static func output(of command: String, _ message: [UInt8]) throws -> [UInt8] {
        let (succeeded, signature) = OpenSSLCommand.run(
            command, files: ["message": message, "key.pem": Array(try TokenForge.signer.pem.utf8)], output: "signature")
        try #require(succeeded && !signature.isEmpty)
        return signature
    }
}
