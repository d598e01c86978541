internal import COpenSSL

/// Encrypts push tokens for the database, in a form in which a token can be found without being decrypted.
///
/// A stored token is `$lookup$key$ciphertext`. The lookup is HMAC-SHA-256 of the token under a key that never changes,
/// cut to 128 bits (RFC 2104): equal tokens have equal lookups, whichever key encrypted them. The ciphertext is
/// AES-256-GCM (NIST SP 800-38D) with a random nonce before it, its tag after it, and the lookup and the token's kind as
/// additional data, so that it is valid with no other lookup and as no other kind. The clear text is a byte for the
/// packing, and the token: as bytes if it is hexadecimal, which APNs' tokens are, so that it takes about as much room as
/// in clear. All parts except the key's id are base64url. A token in clear has no `$`.
public struct TokenCipher: Sendable {
    /// The kind of what is encrypted. Its name is authenticated with the ciphertext, so that one which was copied to a
    /// column of another kind is damaged there. The lookup does not depend on it.
    public enum Kind: String, CaseIterable, Sendable {
        case device, start, update, provider
        /// The known text that shows which keys encrypt.
        case sample
    }

    /// The reason for which a stored token cannot be read.
    public enum Failure: Error, Hashable, CustomStringConvertible {
        case unknownKey(String)
        case damaged

        public var description: String {
            switch self {
            case .unknownKey(let id): "a push token is encrypted by the key \(id), which TOKEN_KEY_FILE does not have"
            case .damaged: "a stored push token is damaged"
            }
        }
    }

    /// The length of a lookup, with the `$` in front.
    static let lookupLength = 23
    private static let mark = UInt8(ascii: "$")
    private static let nonceLength = 12
    private static let tagLength = 16
    /// OpenSSL's AES-256-GCM, fetched once; see `SHA256Digest.method`.
    nonisolated(unsafe) private static let method = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    private let keys: TokenKeys
    private let digest: KeyedHash

    /// Makes a cipher with the keys of a file.
    /// - Throws: `OpenSSLError`.
    public init(_ keys: TokenKeys) throws {
        self.keys = keys
        digest = try KeyedHash(keys.lookup)
    }

    /// The id of the key that encrypts from now on.
    public var newestKey: String { keys.newest }

    public func has(_ key: String) -> Bool { keys.encryption[key] != nil }

    /// Each key that can be read, as `ID:HASH`. The hash, under the lookup key, shows whether two files mean the same key
    /// by an id.
    public var fingerprints: [String] {
        get throws { try keys.encryption.map { "\($0):\(try digest.short($1))" }.sorted() }
    }

    /// The fingerprint of the key that encrypts from now on.
    public var newestFingerprint: String {
        get throws { "\(keys.newest):\(try digest.short(keys.encryption[keys.newest] ?? []))" }
    }

    public static func isEncrypted(_ stored: String) -> Bool { stored.utf8.first == mark }

    /// Returns the id of the key that encrypted a stored token; nil for a token in clear, and for a damaged one.
    public static func key(of stored: String) -> String? { parts(Array(stored.utf8))?.key }

    /// Returns the lookup by which a token is found.
    public func lookup(_ token: String) throws -> String { "$\(Base64URL.encode(try digest(Array(token.utf8))))" }

    /// Encrypts a token.
    /// - Parameter key: the id of the key that encrypts.
    /// - Throws: `Failure.unknownKey`, `OpenSSLError`.
    public func encrypt(_ token: String, as kind: Kind, by key: String) throws -> String {
        try encrypt(token, lookup: try lookup(token), as: kind, by: key)
    }

    /// Encrypts a token whose lookup is known.
    /// - Parameter lookup: the result of `lookup` for this token.
    public func encrypt(_ token: String, lookup: String, as kind: Kind, by key: String) throws -> String {
        guard let bytes = keys.encryption[key] else { throw Failure.unknownKey(key) }
        let clear = Self.packed(Array(token.utf8))
        // The buffer holds nonce, ciphertext and tag.
        var sealed = [UInt8](repeating: 0, count: Self.nonceLength + clear.count + Self.tagLength)
        let isSealed = sealed.withUnsafeMutableBufferPointer { sealed in
            guard let nonce = sealed.baseAddress, RAND_bytes(nonce, Int32(Self.nonceLength)) == 1 else { return false }
            let output = nonce + Self.nonceLength
            return Self.withContext(bytes, nonce, Self.bound(lookup.utf8, kind), encrypts: true) { context in
                var count: Int32 = 0
                return EVP_CipherUpdate(context, output, &count, clear, Int32(clear.count)) == 1
                    && EVP_CipherFinal_ex(context, output + clear.count, &count) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), output + clear.count) == 1
            }
        }
        guard isSealed else { throw OpenSSLError("encrypt a token") }
        return "\(lookup)$\(key)$\(Base64URL.encode(sealed))"
    }

    /// Decrypts a stored token; one in clear is returned as it is.
    /// - Throws: `Failure`, which is `damaged` also for a token of another kind.
    public func decrypt(_ stored: String, as kind: Kind) throws -> String {
        let text = Array(stored.utf8)
        guard text.first == Self.mark else { return stored }
        guard let (id, begin) = Self.parts(text), var sealed = Base64URL.decode(text[begin...]),
            sealed.count >= Self.nonceLength + Self.tagLength
        else { throw Failure.damaged }
        guard let key = keys.encryption[id] else { throw Failure.unknownKey(id) }
        let count = sealed.count - Self.nonceLength - Self.tagLength
        let isOpened = sealed.withUnsafeMutableBufferPointer { sealed in
            guard let nonce = sealed.baseAddress else { return false }
            let body = nonce + Self.nonceLength
            let bound = Self.bound(text[..<Self.lookupLength], kind)
            return Self.withContext(key, nonce, bound, encrypts: false) { context in
                var done: Int32 = 0
                return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), body + count) == 1
                    && EVP_CipherUpdate(context, body, &done, body, Int32(count)) == 1
                    // This call only compares the tag; it writes nothing.
                    && EVP_CipherFinal_ex(context, body + count, &done) == 1
            }
        }
        guard isOpened else {
            OpenSSLError.drainQueue()
            throw Failure.damaged
        }
        guard let token = Self.unpacked(sealed[Self.nonceLength..<Self.nonceLength + count]) else {
            throw Failure.damaged
        }
        return token
    }

    /// Returns the additional data. All lookups are of one length, so no two pairs have the same.
    private static func bound(_ lookup: some Sequence<UInt8>, _ kind: Kind) -> [UInt8] {
        Array(lookup) + kind.rawValue.utf8
    }

    /// Returns the key's id, and the place where the ciphertext begins.
    private static func parts(_ stored: [UInt8]) -> (key: String, begin: Int)? {
        guard stored.first == mark, stored.count > lookupLength, stored[lookupLength] == mark,
            let end = stored[(lookupLength + 1)...].firstIndex(of: mark)
        else { return nil }
        return (String(decoding: stored[(lookupLength + 1)..<end], as: UTF8.self), end + 1)
    }

    private enum Packing: UInt8 { case text, hex }

    private static func packed(_ token: [UInt8]) -> [UInt8] {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        let text = [Packing.text.rawValue] + token
        guard token.count.isMultiple(of: 2) else { return text }
        var bytes = [Packing.hex.rawValue]
        bytes.reserveCapacity(1 + token.count / 2)
        for place in stride(from: 0, to: token.count, by: 2) {
            guard let high = digit(token[place]), let low = digit(token[place + 1]) else { return text }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func unpacked(_ bytes: ArraySlice<UInt8>) -> String? {
        let token = bytes.dropFirst()
        switch bytes.first.flatMap(Packing.init) {
        case .text: return String(decoding: token, as: UTF8.self)
        case .hex:
            func digit(_ half: UInt8) -> UInt8 { half + (half < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
            return String(unsafeUninitializedCapacity: 2 * token.count) { text in
                for (place, byte) in token.enumerated() {
                    text[2 * place] = digit(byte >> 4)
                    text[2 * place + 1] = digit(byte & 0xf)
                }
                return 2 * token.count
            }
        case nil: return nil
        }
    }

    private static func withContext(
        _ key: [UInt8], _ nonce: UnsafePointer<UInt8>, _ bound: [UInt8], encrypts: Bool,
        _ body: (OpaquePointer) -> Bool
    ) -> Bool {
        guard let context = EVP_CIPHER_CTX_new() else { return false }
        defer { EVP_CIPHER_CTX_free(context) }
        var count: Int32 = 0
        return EVP_CipherInit_ex2(context, method, key, nonce, encrypts ? 1 : 0, nil) == 1
            && EVP_CipherUpdate(context, nil, &count, bound, Int32(bound.count)) == 1 && body(context)
    }
}
