/// Makes UUIDs in their canonical form without asking the system each time: one half is random and differs between
/// makers, the other half counts up from a random number.
struct HTTP2UniqueID: ~Copyable {
    static let count = 36
    private static let digits = Array("0123456789abcdef".utf8)

    private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    /// The counter: the 62 bits that follow the two of the variant.
    private var number = UInt64.random(in: .min ... .max) & ~(3 << 62)

    init() {
        text.initialize(repeating: UInt8(ascii: "-"), count: Self.count)
        // Version 4: random.
        let first = UInt64.random(in: .min ... .max) & ~0xf000 | 0x4000
        Self.write(first >> 32, digits: 8, to: text)
        Self.write(first >> 16 & 0xffff, digits: 4, to: text + 9)
        Self.write(first & 0xffff, digits: 4, to: text + 14)
    }

    deinit { text.deallocate() }

    /// Returns the next UUID, valid until the next call.
    mutating func next() -> UnsafeBufferPointer<UInt8> {
        number = (number &+ 1) & ~(3 << 62)
        let second = number | 2 << 62
        Self.write(second >> 48, digits: 4, to: text + 19)
        Self.write(second & 0xffff_ffff_ffff, digits: 12, to: text + 24)
        return UnsafeBufferPointer(start: text, count: Self.count)
    }

    private static func write(_ value: UInt64, digits count: Int, to target: UnsafeMutablePointer<UInt8>) {
        digits.withUnsafeBufferPointer { digits in
            for place in 0..<count { target[place] = digits[Int(value >> UInt64(4 * (count - 1 - place)) & 15)] }
        }
    }
}
