internal import COpenSSL
import NIOConcurrencyHelpers

/// Checks signatures over SHA-256 with one key. Making OpenSSL's context costs a third of a check, so contexts are kept
/// after a valid signature: as many as there were checks at the same time, and no more than `keptMax`.
///
/// `@unchecked Sendable`: the kept contexts are touched only under the lock, and only the caller that takes one out
/// uses it.
final class SignatureChecks: @unchecked Sendable {
    /// The bound is above the number of threads on which a service checks tokens.
    private static let keptMax = 16

    private let kept = NIOLockedValueBox<[OpaquePointer]>([])

    deinit { for context in kept.withLockedValue({ $0 }) { EVP_PKEY_CTX_free(context) } }

    /// - Parameter key: the same key at every call.
    func isValid(_ signature: [UInt8], digest: [UInt8], key: KeyHandle) -> Bool {
        guard let context = kept.withLockedValue({ $0.popLast() }) ?? Self.make(key) else { return false }
        guard EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1 else {
            // The context is not kept, because a bad signature may have left state in it.
            EVP_PKEY_CTX_free(context)
            return false
        }
        let isKept = kept.withLockedValue { kept in
            guard kept.count < Self.keptMax else { return false }
            kept.append(context)
            return true
        }
        if !isKept { EVP_PKEY_CTX_free(context) }
        return true
    }

    private static func make(_ key: KeyHandle) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.raw, nil) else { return nil }
        let isReady =
            EVP_PKEY_verify_init(context) == 1
            && (!key.isRSA || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1)
            && EVP_PKEY_CTX_set_signature_md(context, SHA256Digest.method) == 1
        if isReady { return context }
        EVP_PKEY_CTX_free(context)
        return nil
    }
}
