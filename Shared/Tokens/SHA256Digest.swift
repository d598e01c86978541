internal import COpenSSL

/// SHA-256, for ids that are derived from something (key ids, development users, entity tags).
public enum SHA256Digest {
    /// 32 bytes.
    public static func of(_ bytes: [UInt8]) throws -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count = 0
        guard EVP_Q_digest(nil, "SHA256", nil, bytes, bytes.count, &digest, &count) == 1, count == 32 else {
            throw OpenSSLError("take a SHA-256")
        }
        return digest
    }
}
