import NIOConcurrencyHelpers
import Tokens

/// Bearer tokens that were found good lately, by their SHA-256, so that the next call of a phone costs a digest instead
/// of a signature's check. Whether a token has expired is looked at each time, and what was checked with another key set
/// counts for nothing.
///
/// At most `tokensMax` are remembered, some 300 bytes each; those that were not used for longest are forgotten first.
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

    /// Two halves: the younger one becomes the older one when it is full, and what is used moves up.
    private struct Shard {
        var keys: JWKS.Identity?
        var young: [Digest: BearerClaims] = [:]
        var old: [Digest: BearerClaims] = [:]
        var halfMax: Int

        mutating func claims(_ digest: Digest, _ keys: JWKS.Identity) -> BearerClaims? {
            guard self.keys === keys else { return nil }
            if let claims = young[digest] { return claims }
            guard let claims = old[digest] else { return nil }
            add(digest, claims, keys)
            return claims
        }

        mutating func add(_ digest: Digest, _ claims: BearerClaims, _ keys: JWKS.Identity) {
            if self.keys !== keys {
                self.keys = keys
                young = [:]
                old = [:]
            }
            if young.count >= halfMax {
                old = young
                young = [:]
            }
            young[digest] = claims
        }
    }

    private let shards: [NIOLockedValueBox<Shard>]

    /// - Parameter tokensMax: in all; smaller in tests.
    init(tokensMax: Int = Self.tokensMax) {
        let halfMax = max(1, tokensMax / Self.shardCount / 2)
        shards = (0..<Self.shardCount).map { _ in NIOLockedValueBox(Shard(halfMax: halfMax)) }
    }

    /// What a token says: remembered, or found by `verify`, which throws when it is no good.
    func claims(
        of token: String, keys: JWKS, now: Int, verify: () throws(BearerTokenError) -> BearerClaims
    ) throws(BearerTokenError) -> BearerClaims {
        guard token.utf8.count <= BearerTokenVerifier.tokenBytesMax, let digest = Digest(token) else {
            return try verify()
        }
        let shard = shards[Int(digest.parts.1 % UInt64(shards.count))]
        let known = shard.withLockedValue { $0.claims(digest, keys.identity) }
        if let known, now < known.expiresAt + BearerTokenVerifier.leeway { return known }
        let claims = try verify()
        shard.withLockedValue { $0.add(digest, claims, keys.identity) }
        return claims
    }

    /// For `/admin/cache/stats`.
    var count: Int { shards.reduce(0) { sum, shard in sum + shard.withLockedValue { $0.young.count + $0.old.count } } }
}
