/// A JSON number, checked against the grammar of numbers.
struct JSONNumber {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isNegative: Bool
    /// The digits without the point, as far as they fit into 64 bits; `digitCount` counts them.
    private var digits: UInt64 = 0
    private var digitCount = 0
    private var fractionCount = 0
    private var wholeEnd = 0
    private var hasExponent = false

    /// No figure has more digits, and reading millions of them would take too long.
    static let bytesMax = 1_000

    /// Nil for text that is no number (`01`, `1.`, `--1`, `1e`) or has more than a thousand bytes.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= Self.bytesMax else { return nil }
        self.bytes = bytes
        var place = 0
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { place = 1 }
        let whole = place
        place = take(from: place)
        guard place > whole, bytes[whole] != UInt8(ascii: "0") || place == whole + 1 else { return nil }
        wholeEnd = place
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            let start = place + 1
            place = take(from: start)
            guard place > start else { return nil }
            fractionCount = place - start
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            place += 1
            if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") {
                place += 1
            }
            let start = place
            while place < bytes.count, Self.isDigit(bytes[place]) { place += 1 }
            guard place > start else { return nil }
        }
        guard place == bytes.count else { return nil }
    }

    var int64: Int64? {
        if !hasExponent, fractionCount == 0, digitCount <= 18 {
            return isNegative ? -Int64(digits) : Int64(digits)
        }
        guard !hasExponent else { return double.flatMap(Int64.init(exactly:)) }
        guard bytes[wholeEnd...].dropFirst().allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        return Int64(String(decoding: bytes[..<wholeEnd], as: UTF8.self))
    }

    /// The number; nil when it is too large to be finite.
    var double: Double? {
        // The quotient of two exact numbers is the nearest number, as in slow reading.
        if !hasExponent, digitCount <= 15, fractionCount < Self.powers.count {
            let value = Double(digits) / Self.powers[fractionCount]
            return isNegative ? -value : value
        }
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    private mutating func take(from start: Int) -> Int {
        var place = start
        while place < bytes.count, Self.isDigit(bytes[place]) {
            if digitCount < 18 { digits = digits * 10 + UInt64(bytes[place] - UInt8(ascii: "0")) }
            digitCount += 1
            place += 1
        }
        return place
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
