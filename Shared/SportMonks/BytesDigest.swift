/// 128 bits that tell one run of bytes from another. Not a secret's hash: a process draws its own keys, so that nobody
/// can prepare two texts that look the same to it, and that is all it keeps off.
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

    /// Both halves of the product: no bit of either factor is lost.
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        // The factor comes in again, so that a factor of zero does not swallow the rest.
        return product.high ^ product.low &+ one
    }
}
