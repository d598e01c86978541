internal import COpenSSL

/// Owns one `EVP_PKEY`.
///
/// `@unchecked Sendable`: OpenSSL counts references to it atomically and never changes a key that is only used, so many
/// threads may sign and verify with it.
final class KeyHandle: @unchecked Sendable {
    let raw: OpaquePointer
    private let checks = SignatureChecks()

    /// Takes ownership of one reference.
    init(owning raw: OpaquePointer) { self.raw = raw }

    deinit { EVP_PKEY_free(raw) }

    /// Reads a private key from PEM: PKCS#8, or the older forms that OpenSSL knows. An encrypted key is refused;
    /// OpenSSL never asks for its passphrase.
    convenience init(privatePEM pem: String) throws {
        let doing = "read a private key"
        let raw = try withMemoryBIO(pem, doing) { bio in
            PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let raw else { throw OpenSSLError(doing) }
        self.init(owning: raw)
    }

    /// Reads a public key from PEM (SubjectPublicKeyInfo).
    convenience init(publicPEM pem: String) throws {
        let doing = "read a public key"
        let raw = try withMemoryBIO(pem, doing) { bio in
            PEM_read_bio_PUBKEY(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let raw else { throw OpenSSLError(doing) }
        self.init(owning: raw)
    }

    /// Makes a key of `algorithm` ("EC", "RSA"); `configure` sets the curve or the size and returns OpenSSL's status.
    convenience init(generating algorithm: String, configure: (OpaquePointer) -> Int32) throws {
        let doing = "make a key"
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { throw OpenSSLError(doing) }
        defer { EVP_PKEY_CTX_free(context) }
        var raw: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, configure(context) == 1, EVP_PKEY_generate(context, &raw) == 1,
            let raw
        else { throw OpenSSLError(doing) }
        self.init(owning: raw)
    }

    /// Returns the private key as PKCS#8, unencrypted.
    func privatePEM() throws -> String {
        try writingPEM("write a private key") { PEM_write_bio_PKCS8PrivateKey($0, raw, nil, nil, 0, nil, nil) }
    }

    func publicPEM() throws -> String {
        try writingPEM("write a public key") { PEM_write_bio_PUBKEY($0, raw) }
    }

    /// Returns a number of the key, big-endian and without leading zeros: "n" and "e" of RSA.
    func number(_ name: String) throws -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(raw, name, &number) == 1, let number else {
            throw OpenSSLError("read \(name) of a key")
        }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    var isRSA: Bool { EVP_PKEY_is_a(raw, "RSA") == 1 }

    var isP256: Bool {
        guard EVP_PKEY_is_a(raw, "EC") == 1 else { return false }
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        guard EVP_PKEY_get_group_name(raw, &name, name.count, &count) == 1 else {
            OpenSSLError.drainQueue()
            return false
        }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map(CChar.init(bitPattern:)))
    }

    /// Signs with SHA-256; the signature has the key's own form (DER for EC, PKCS#1 v1.5 for RSA).
    func signSHA256(_ bytes: [UInt8]) throws -> [UInt8] {
        let doing = "sign"
        guard let context = EVP_MD_CTX_new() else { throw OpenSSLError(doing) }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, raw) == 1,
            EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
        else { throw OpenSSLError(doing) }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { throw OpenSSLError(doing) }
        return Array(signature.prefix(count))
    }

    /// Returns whether the signature is the key's; any malformed signature gives false. The error queue is left empty.
    func verifySHA256(_ signature: [UInt8], of bytes: Span<UInt8>) -> Bool {
        defer { OpenSSLError.drainQueue() }
        guard let digest = SHA256Digest.digest(bytes) else { return false }
        return checks.isValid(signature, digest: digest, key: self)
    }

    private func writingPEM(_ doing: String, _ write: (OpaquePointer) -> Int32) throws -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { throw OpenSSLError(doing) }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { throw OpenSSLError(doing) }
        var pem: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = BIO_read(bio, &chunk, Int32(chunk.count))
            guard count > 0 else { return String(decoding: pem, as: UTF8.self) }
            pem.append(contentsOf: chunk.prefix(Int(count)))
        }
    }
}

/// Gives `text` to OpenSSL as a file to read. A PEM file is a few kilobytes at most.
private func withMemoryBIO<Result>(
    _ text: String, _ doing: String, _ body: (OpaquePointer) throws -> Result
) throws -> Result {
    let bytes = Array(text.utf8)
    guard bytes.count <= 65_536 else { throw OpenSSLError(doing, reason: "the PEM text is over 64 KiB") }
    return try bytes.withUnsafeBytes { buffer in
        guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { throw OpenSSLError(doing) }
        defer { BIO_free(bio) }
        return try body(bio)
    }
}
