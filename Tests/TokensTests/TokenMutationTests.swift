import Glibc
import Testing
import Tokens

/// Damages valid tokens at random. `TOKEN_MUTATIONS` says how often, `TOKEN_SEED` where the randomness starts.
@Suite struct TokenMutationTests {
    @Test func theOnlyStringThatIsTakenIsTheOriginal() async throws {
        let count = Self.number("TOKEN_MUTATIONS") ?? 20_000
        let seed = Self.number("TOKEN_SEED") ?? Int.random(in: 1...1_000_000_000)
        let shards = 4
        let originals = try [
            TokenForge.token(), TokenForge.token(claims: TokenForge.claims(["cognito:groups": "[\"admin\"]"])),
            TokenForge.token(claims: TokenForge.claims(["token_use": "\"id\"", "aud": "\"ipad-app\""])),
        ].map { Array($0.utf8) }
        for original in originals { _ = try TokenForge.verify(String(decoding: original, as: UTF8.self)) }
        let tally = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for shard in 0..<shards {
                group.addTask { @concurrent in
                    try Self.damage(originals, count: count / shards, seed: UInt64(seed + shard))
                }
            }
            return try await group.reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
        }
        #expect(tally["accepted"] == nil, "seed \(seed)")
        #expect(tally.values.reduce(0, +) == count / shards * shards)
        // It was not refused for one reason alone: the damage reaches every check.
        #expect(Set(tally.keys).isSuperset(of: ["malformed", "bad-signature", "unknown-key", "unsupported-header"]))
        print("\(count / shards * shards) damaged tokens, seed \(seed): \(tally.sorted { $0.key < $1.key })")
    }

    private static func damage(_ originals: [[UInt8]], count: Int, seed: UInt64) throws -> [String: Int] {
        var mutator = TokenMutator(seed: seed)
        let keys = try TokenForge.keys()
        var tally: [String: Int] = [:]
        for _ in 0..<count {
            var text = ""
            repeat {
                text = String(decoding: mutator.mutant(of: originals), as: UTF8.self)
            } while originals.contains(
                where: { $0.elementsEqual(text.utf8) })
            do {
                _ = try TokenForge.verifier.verify(text, keys: keys, now: TokenForge.now)
                Issue.record("taken, of seed \(seed): \(text)")
                tally["accepted", default: 0] += 1
            } catch {
                tally[error.kind, default: 0] += 1
            }
        }
        return tally
    }

    private static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }
}
