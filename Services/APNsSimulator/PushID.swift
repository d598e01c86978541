/// The text of an `apns-id`: 36 bytes, as sent by the client or made here.
struct PushID: Sendable {
    static let count = 36
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0, 0)

    /// Copies an id as sent; the caller has checked that it has 36 bytes.
    init(_ text: UnsafeRawBufferPointer) {
        withUnsafeMutableBytes(of: &words) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<Self.count]))
        }
    }

    /// Makes a random id in Apple's form, in upper case.
    init(using random: inout PushIDSource) {
        var high = random.next()
        var low = random.next()
        high = high & 0xffff_ffff_ffff_0fff | 0x4000
        low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        withUnsafeMutableBytes(of: &words) { bytes in
            var index = 0
            for word in [high, low] {
                for shift in stride(from: UInt64(60), through: 0, by: -4) {
                    if index == 8 || index == 13 || index == 18 || index == 23 {
                        bytes[index] = UInt8(ascii: "-")
                        index += 1
                    }
                    let digit = UInt8(truncatingIfNeeded: word >> shift) & 15
                    bytes[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") - 10 + digit
                    index += 1
                }
            }
        }
    }

    func copy(to target: UnsafeMutableRawPointer) {
        withUnsafeBytes(of: words) { bytes in
            if let start = bytes.baseAddress { target.copyMemory(from: start, byteCount: Self.count) }
        }
    }

    var text: String { withUnsafeBytes(of: words) { String(decoding: $0[..<Self.count], as: UTF8.self) } }

    /// Whether the id has the canonical form, 8-4-4-4-12.
    var isCanonical: Bool {
        withUnsafeBytes(of: words) { bytes in
            (0..<Self.count).allSatisfy { index in
                switch index {
                case 8, 13, 18, 23: return bytes[index] == UInt8(ascii: "-")
                default:
                    switch bytes[index] {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                        UInt8(ascii: "A")...UInt8(ascii: "F"):
                        return true
                    default: return false
                    }
                }
            }
        }
    }
}

/// Random numbers that need no system call each (SplitMix64 with a random start).
struct PushIDSource: Sendable {
    private var state = UInt64.random(in: 0...UInt64.max)

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
