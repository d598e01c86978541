internal import COpenSSL

/// SHA-256 digests, for derived ids: key ids, development users, entity tags.
public enum SHA256Digest {
    /// OpenSSL's SHA-256, fetched once, because OpenSSL's own constant makes it search for an implementation each time.
    /// `nonisolated(unsafe)`: it is never changed or freed, and OpenSSL counts references to it atomically.
    nonisolated(unsafe) static let method = EVP_MD_fetch(nil, "SHA256", nil)

    /// Returns the digest, 32 bytes.
    public static func of(_ bytes: [UInt8]) throws -> [UInt8] {
        guard let digest = digest(bytes.span) else { throw OpenSSLError("take a SHA-256") }
        return digest
    }

    /// Returns the digest; nil if OpenSSL fails.
    static func digest(_ bytes: Span<UInt8>) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let status = bytes.withUnsafeBufferPointer { bytes in
            EVP_Digest(bytes.baseAddress, bytes.count, &digest, &count, method, nil)
        }
        return status == 1 && count == 32 ? digest : nil
    }
}
