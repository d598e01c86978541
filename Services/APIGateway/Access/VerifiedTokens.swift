import NIOConcurrencyHelpers
import Tokens

/// Remembers bearer tokens whose signature was valid, by their SHA-256, so that a phone's next call costs a digest
/// instead of a signature check. Expiry is checked each time, and results under another key set are dropped.
///
/// At most `tokensMax` are remembered, some 300 bytes each; the least recently used are forgotten first.
struct VerifiedTokens: Sendable {
    static let tokensMax = 32_768
    private static let shardCount = 16

    private struct Digest: Hashable {
        var parts: (UInt64, UInt64, UInt64, UInt64)

        init?(_ token: String) {
            guard let bytes = try? SHA256Digest.of(Array(token.utf8)) else { return nil }
            parts = bytes.withUnsafeBytes { bytes in
                func part(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
                return (part(0), part(1), part(2), part(3))
            }
        }

        static func == (one: Self, other: Self) -> Bool { one.parts == other.parts }

        func hash(into hasher: inout Hasher) { hasher.combine(parts.0) }
    }

    private enum Known {
        case good(BearerClaims)
        /// The token had expired at this time, in seconds since 1970. It is checked again should the clock be set back.
        case expired(at: Int)
    }

    /// A cache of two halves: when the younger one is full it becomes the older one, and an entry that is used moves to
    /// the younger.
    private struct Shard {
        var keys: JWKS.Identity?
        var young: [Digest: Known] = [:]
        var old: [Digest: Known] = [:]
        var halfMax: Int

        mutating func known(_ digest: Digest, _ keys: JWKS.Identity) -> Known? {
            guard self.keys === keys else { return nil }
            if let known = young[digest] { return known }
            guard let known = old[digest] else { return nil }
            add(digest, known, keys)
            return known
        }

        mutating func add(_ digest: Digest, _ known: Known, _ keys: JWKS.Identity) {
            if self.keys !== keys {
                self.keys = keys
                young = [:]
                old = [:]
            }
            if young.count >= halfMax {
                old = young
                young = [:]
            }
            young[digest] = known
        }
    }

    private let shards: [NIOLockedValueBox<Shard>]

    /// - Parameter tokensMax: the bound over all shards; smaller in tests.
    init(tokensMax: Int = Self.tokensMax) {
        let halfMax = max(1, tokensMax / Self.shardCount / 2)
        shards = (0..<Self.shardCount).map { _ in NIOLockedValueBox(Shard(halfMax: halfMax)) }
    }

    /// Returns a token's claims: remembered, or from `verify`, which throws when the token is not valid.
    func claims(
        of token: String, keys: JWKS, now: Int, verify: () throws(BearerTokenError) -> BearerClaims
    ) throws(BearerTokenError) -> BearerClaims {
        guard token.utf8.count <= BearerTokenVerifier.tokenBytesMax, let digest = Digest(token) else {
            return try verify()
        }
        let shard = shards[Int(digest.parts.1 % UInt64(shards.count))]
        switch shard.withLockedValue({ $0.known(digest, keys.identity) }) {
        case .good(let claims) where now < claims.expiresAt + BearerTokenVerifier.leeway: return claims
        case .good(let claims): throw .expired(at: claims.expiresAt)
        case .expired(let moment) where now >= moment + BearerTokenVerifier.leeway: throw .expired(at: moment)
        case .expired, nil: break
        }
        do throws(BearerTokenError) {
            let claims = try verify()
            shard.withLockedValue { $0.add(digest, .good(claims), keys.identity) }
            return claims
        } catch {
            if case .expired(let moment) = error {
                shard.withLockedValue { $0.add(digest, .expired(at: moment), keys.identity) }
            }
            throw error
        }
    }

    /// The number in `/admin/cache/stats`.
    var count: Int { shards.reduce(0) { sum, shard in sum + shard.withLockedValue { $0.young.count + $0.old.count } } }
}
