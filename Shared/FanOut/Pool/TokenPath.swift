/// Writes paths of pushes, `/3/device/` and the token, without allocating memory.
struct TokenPath {
    /// The bytes of a token of 160 hexadecimal digits, the length that ActivityKit gives today.
    static let inlineBytes = 80
    private static let prefix = Array("/3/device/".utf8)
    /// Two digits for each byte, little-endian.
    private static let digits: [UInt16] = {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<256).map { UInt16(digits[$0 >> 4]) | UInt16(digits[$0 & 15]) << 8 }
    }()

    private let buffer: UnsafeMutablePointer<UInt8>

    init() {
        buffer = .allocate(capacity: Self.prefix.count + Self.inlineBytes * 2)
        buffer.initialize(from: Self.prefix, count: Self.prefix.count)
    }

    func deallocate() { buffer.deallocate() }

    /// Returns the path of a token of `count` bytes, valid until the next call.
    func of(_ bytes: UnsafePointer<UInt8>, count: Int) -> UnsafeBufferPointer<UInt8> {
        var target = UnsafeMutableRawPointer(buffer + Self.prefix.count)
        Self.digits.withUnsafeBufferPointer { digits in
            for index in 0..<count {
                target.storeBytes(of: digits[Int(bytes[index])].littleEndian, as: UInt16.self)
                target += 2
            }
        }
        return UnsafeBufferPointer(start: buffer, count: Self.prefix.count + count * 2)
    }

    /// Writes a token's bytes if it consists of an even number of lower-case hexadecimal digits and fits.
    /// - Returns: the number of bytes; 0 when nothing was written.
    static func pack(_ token: String, into target: UnsafeMutablePointer<UInt8>) -> Int {
        var token = token
        return token.withUTF8 { digits in
            guard digits.count.isMultiple(of: 2), digits.count <= inlineBytes * 2 else { return 0 }
            for index in 0..<digits.count / 2 {
                guard let high = value(digits[index * 2]), let low = value(digits[index * 2 + 1]) else { return 0 }
                target[index] = high << 4 | low
            }
            return digits.count / 2
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
