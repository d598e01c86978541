import SightscreenModels
import Testing

@testable import APNsSimulator

struct TokenRegistryTests {
    private static func index(_ text: String, _ registry: TokenRegistry) -> Int? {
        var key = [UInt8](repeating: 0, count: TokenKey.bytesMax)
        let isToken = Array(text.utf8).withUnsafeBytes { text in
            key.withUnsafeMutableBytes { TokenKey.pack(text, into: $0) }
        }
        guard isToken else { return nil }
        return key.withUnsafeBytes {
            registry.index(
                of: UnsafeRawBufferPointer(rebasing: $0[..<((text.utf8.count + 1) / 2)]), text.utf8.count)
        }
    }

    private static func register(_ tokens: [String], _ registry: TokenRegistry) {
        var batch = TokenBatch()
        for token in tokens {
            let isToken = Array(token.utf8).withUnsafeBytes {
                batch.add($0, .update, .production, timestamp: nil, match: nil, frequentPushes: true)
            }
            #expect(isToken)
        }
        batch.forEach { registry.register($0, $1, $2) }
    }

    @Test func findsEachOfManyAndNoOther() {
        let registry = TokenRegistry()
        // Of all lengths, even and odd, and alike in their beginnings.
        let tokens = (0..<5_000).map { String(repeating: "a", count: $0 % 390) + String($0 + 0x1_0000, radix: 16) }
        Self.register(tokens, registry)
        #expect(registry.count == 5_000)
        for (index, token) in tokens.enumerated() {
            #expect(Self.index(token, registry) == index)
            #expect(Self.index(token.uppercased(), registry) == index)
            #expect(registry.text(index) == token)
        }
        for token in ["", "1", "10000b", "1000", "100000", "xyz", tokens[7] + "0", String(repeating: "a", count: 401)] {
            #expect(Self.index(token, registry) == nil, "\(token)")
        }
    }

    @Test func aTokenThatComesAgainIsAlive() throws {
        let registry = TokenRegistry()
        Self.register(["abc"], registry)
        let index = try #require(Self.index("abc", registry))
        registry.device(index).pointee.deletedAtMs = 5
        #expect(registry.device(index).pointee.deletedAtMs == 5)
        Self.register(["ABC"], registry)
        #expect(registry.count == 1)
        #expect(registry.device(index).pointee.deletedAtMs == nil)
    }

    @Test func aDeviceIsSmall() { #expect(MemoryLayout<TokenRegistry.Device>.stride <= 64) }
}
