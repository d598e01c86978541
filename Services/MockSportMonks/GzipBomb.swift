/// A gzip file of 100 KB that inflates to 100 MiB of spaces, built by hand: one block whose only codes are a space, the
/// longest match at distance one, and the end.
enum GzipBomb {
    /// The number of longest matches in the file.
    private static let matches = 406_425
    /// Bytes after inflating: the space, and 258 more for each match.
    static let inflatedBytes = 1 + 258 * matches
    /// The CRC-32 of that many spaces.
    private static let checksum: UInt32 = 0x23e2_9875

    static let bytes: [UInt8] = {
        var bits = Bits()
        // The stream's last block has its own codes: 286 for lengths and literals, 1 for distances, 18 for the code
        // lengths.
        bits.add(0b1, 1)
        bits.add(2, 2)
        bits.add(286 - 257, 5)
        bits.add(0, 5)
        bits.add(18 - 4, 4)
        // The order is 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1; code 18 has one bit, codes 2 and 1 have two.
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.add(length, 3) }
        func zeros(_ count: Int) {
            bits.add(0, 1)
            bits.add(count - 11, 7)
        }
        // The code words are "10" for a length of one bit and "11" for two, first bit first.
        zeros(32)
        bits.add(0b11, 2)
        zeros(138)
        zeros(85)
        bits.add(0b11, 2)
        zeros(28)
        bits.add(0b01, 2)
        bits.add(0b01, 2)
        // The code "10" is the space, "0" the match of 258 bytes and also distance one, "11" the end.
        bits.add(0b01, 2)
        for _ in 0..<matches { bits.add(0, 2) }
        bits.add(0b11, 2)
        let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + bits.finished + little(checksum) + little(UInt32(inflatedBytes))
    }()

    private static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xff) } }

    /// Bits of a deflate stream, the lowest of a byte first.
    private struct Bits {
        private var bytes: [UInt8] = []
        private var current: UInt32 = 0
        private var count = 0

        mutating func add(_ value: Int, _ width: Int) {
            current |= UInt32(value) << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(current & 0xff))
                current >>= 8
                count -= 8
            }
        }

        var finished: [UInt8] { count > 0 ? bytes + [UInt8(current & 0xff)] : bytes }
    }
}
