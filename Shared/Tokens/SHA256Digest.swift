internal import COpenSSL

/// SHA-256, for ids that are derived from something (key ids, development users, entity tags).
public enum SHA256Digest {
    /// Looked up once: OpenSSL's own name for it makes it look for an implementation each time. It is never changed and
    /// never freed, and OpenSSL counts references to it atomically; hence `nonisolated(unsafe)`.
    nonisolated(unsafe) static let method = EVP_MD_fetch(nil, "SHA256", nil)

    /// 32 bytes.
    public static func of(_ bytes: [UInt8]) throws -> [UInt8] {
        guard let digest = digest(bytes.span) else { throw OpenSSLError("take a SHA-256") }
        return digest
    }

    /// Nil when OpenSSL takes none.
    static func digest(_ bytes: Span<UInt8>) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let status = bytes.withUnsafeBufferPointer { bytes in
            EVP_Digest(bytes.baseAddress, bytes.count, &digest, &count, method, nil)
        }
        return status == 1 && count == 32 ? digest : nil
    }
}
