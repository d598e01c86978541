internal import COpenSSL

/// Checks ES256 signatures, by `ES256Signer` or any other signer.
public struct ES256Verifier: Sendable {
    private let key: KeyHandle

    /// - Parameter pem: the public key (SubjectPublicKeyInfo), or a private key, of which the public half is used.
    public init(pem: String) throws {
        key = try pem.contains("PRIVATE KEY") ? KeyHandle(privatePEM: pem) : KeyHandle(publicPEM: pem)
        guard key.isP256 else { throw OpenSSLError("use the key for ES256", reason: "it is not a P-256 key") }
    }

    /// Returns whether the signature is the key's.
    /// - Parameter signature: R‖S; any other length than 64 is never valid.
    public func isValid(signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard signature.count == 64, let der = Self.der(signature) else { return false }
        return key.verifySHA256(der, of: bytes.span)
    }

    private static func der(_ signature: [UInt8]) -> [UInt8]? {
        defer { OpenSSLError.drainQueue() }
        guard let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let r = BN_bin2bn(Array(signature.prefix(32)), 32, nil)
        let s = BN_bin2bn(Array(signature.suffix(32)), 32, nil)
        guard let r, let s, ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(pair, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #file, #line) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}
