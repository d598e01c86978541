internal import COpenSSL

/// Signs as JWS "ES256" requires: ECDSA on P-256 with SHA-256, the signature as R‖S (RFC 7518 section 3.4).
public struct ES256Signer: Sendable {
    private let key: KeyHandle

    /// - Parameter pem: the text of Apple's `.p8` file (PKCS#8).
    /// - Throws: `OpenSSLError` if it holds no private key, or one that is not of P-256.
    public init(pem: String) throws {
        key = try KeyHandle(privatePEM: pem)
        guard key.isP256 else { throw OpenSSLError("use the key for ES256", reason: "it is not a P-256 key") }
    }

    /// Returns 64 bytes: R and S, each with its leading zeros.
    public func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        let der = try key.signSHA256(bytes)
        let signature = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &cursor, buffer.count)
        }
        guard let signature else { throw OpenSSLError("take a signature apart") }
        defer { ECDSA_SIG_free(signature) }
        var r = [UInt8](repeating: 0, count: 32)
        var s = [UInt8](repeating: 0, count: 32)
        guard BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
            BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
        else { throw OpenSSLError("take a signature apart") }
        return r + s
    }

    /// The public key in PEM (SubjectPublicKeyInfo), for checking the signatures.
    public var publicKeyPEM: String {
        get throws { try key.publicPEM() }
    }

    /// Makes a new private key in the form of Apple's `.p8` files, for development and tests.
    public static func generatePEM() throws -> String {
        try KeyHandle(generating: "EC") { EVP_PKEY_CTX_set_group_name($0, "prime256v1") }.privatePEM()
    }
}
