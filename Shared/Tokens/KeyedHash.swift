internal import COpenSSL

/// HMAC-SHA-256 under one key (RFC 2104), cut to 128 bits.
///
/// `@unchecked Sendable`: OpenSSL never changes a context that is only copied, and its own counters are atomic.
package final class KeyedHash: @unchecked Sendable {
    /// The context with the key and without any text.
    private let keyed: OpaquePointer

    package init(_ key: [UInt8]) throws {
        let doing = "prepare a keyed hash"
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else { throw OpenSSLError(doing) }
        defer { EVP_MAC_free(mac) }
        guard let keyed = EVP_MAC_CTX_new(mac) else { throw OpenSSLError(doing) }
        self.keyed = keyed
        var name = Array("SHA256".utf8CString)
        // A parameter points at its own name, too, so both must outlive the call that reads them.
        let isReady = OSSL_MAC_PARAM_DIGEST.withCString { digest in
            name.withUnsafeMutableBufferPointer { name in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(digest, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return EVP_MAC_init(keyed, key, key.count, parameters) == 1
            }
        }
        guard isReady else { throw OpenSSLError(doing) }
    }

    /// Returns the first eight hexadecimal digits: enough to see that two secrets differ, and too few to learn one.
    package func short(_ text: [UInt8]) throws -> String {
        let hex = try self(text).prefix(4).map { String($0, radix: 16) }
        return hex.map { $0.count == 1 ? "0" + $0 : $0 }.joined()
    }

    deinit { EVP_MAC_CTX_free(keyed) }

    package func callAsFunction(_ text: [UInt8]) throws -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count = 0
        let context = EVP_MAC_CTX_dup(keyed)
        defer { EVP_MAC_CTX_free(context) }
        guard let context, EVP_MAC_update(context, text, text.count) == 1,
            EVP_MAC_final(context, &digest, &count, digest.count) == 1, count == digest.count
        else { throw OpenSSLError("make a keyed hash") }
        return Array(digest.prefix(16))
    }
}
