internal import COpenSSL

/// The development issuer's key. It signs what Amazon Cognito signs in production.
public struct RS256Signer: Sendable {
    private let key: KeyHandle
    /// The key's RFC 7638 thumbprint, so that the same key always has the same id.
    public let keyID: String
    private let modulus: String
    private let exponent: String

    /// - Parameter pem: PKCS#8 with an RSA key of at least 2048 bits.
    public init(pem: String) throws { try self.init(key: KeyHandle(privatePEM: pem)) }

    /// Makes a new 2048-bit key.
    public static func generate() throws -> RS256Signer {
        try RS256Signer(key: KeyHandle(generating: "RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, 2048) })
    }

    private init(key: KeyHandle) throws {
        guard key.isRSA, EVP_PKEY_get_bits(key.raw) >= JWKS.modulusBitsMin else {
            throw OpenSSLError("use the key for RS256", reason: "it is not an RSA key of 2048 bits or more")
        }
        self.key = key
        modulus = Base64URL.encode(try key.number(OSSL_PKEY_PARAM_RSA_N))
        exponent = Base64URL.encode(try key.number(OSSL_PKEY_PARAM_RSA_E))
        let members = #"{"e":"\#(exponent)","kty":"RSA","n":"\#(modulus)"}"#
        keyID = Base64URL.encode(try SHA256Digest.of(Array(members.utf8)))
    }

    /// The private key as PKCS#8; a file that holds it should have mode 0600.
    public var pem: String {
        get throws { try key.privatePEM() }
    }

    /// The public key as one member of a JWKS.
    public var jwk: String {
        #"{"kty":"RSA","alg":"RS256","use":"sig","kid":"\#(keyID)","n":"\#(modulus)","e":"\#(exponent)"}"#
    }

    /// A JWKS with this key alone.
    public var jwks: String { #"{"keys":[\#(jwk)]}"# }

    /// Signs with RSASSA-PKCS1-v1_5 and SHA-256.
    public func sign(_ bytes: [UInt8]) throws -> [UInt8] { try key.signSHA256(bytes) }

    /// Makes a signed token in compact form.
    ///
    /// - Parameter claims: a JSON object.
    public func token(claims: [UInt8]) throws -> String {
        let header = Base64URL.encode(#"{"alg":"RS256","kid":"\#(keyID)","typ":"JWT"}"#.utf8)
        let signed = "\(header).\(Base64URL.encode(claims))"
        return "\(signed).\(Base64URL.encode(try sign(Array(signed.utf8))))"
    }
}
