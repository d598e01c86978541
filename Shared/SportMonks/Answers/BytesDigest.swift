/// A digest of 128 bits that tells one run of bytes from another. Each process draws its own keys, so that two texts
/// with the same digest cannot be prepared in advance. It protects against nothing else and is no hash for secrets.
struct BytesDigest: Hashable, Sendable {
    private static let keys = (
        UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1,
        UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1
    )

    private let low: UInt64
    private let high: UInt64

    init(_ bytes: UnsafeRawBufferPointer) {
        let keys = Self.keys
        var low = UInt64(bytes.count) ^ keys.0
        var high = UInt64(bytes.count) ^ keys.1
        var place = 0
        while place + 16 <= bytes.count {
            let first = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let second = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
            low = Self.fold(low ^ first, keys.2 ^ second)
            high = Self.fold(high ^ second, keys.3 ^ first)
            place += 16
        }
        while place < bytes.count {
            low = Self.fold(low ^ UInt64(bytes[place]), keys.2)
            high = Self.fold(high ^ UInt64(bytes[place]), keys.3)
            place += 1
        }
        self.low = low
        self.high = high
    }

    /// Combines both halves of the product, so that no bit of either factor is lost.
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        // The factor is added again, so that a factor of zero does not swallow the rest.
        return product.high ^ product.low &+ one
    }
}
