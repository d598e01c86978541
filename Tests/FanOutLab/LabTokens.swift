import SightscreenModels

/// The lab's devices: each has a token of 160 hexadecimal digits that follows from its number.
enum LabTokens {
    static let digits = 160
    private static let hex = Array("0123456789abcdef".utf8)

    static func of(_ number: Int) -> UpdateToken {
        var token = ArraySlice([UInt8](repeating: 0, count: digits))
        write(number, to: &token)
        return UpdateToken(String(decoding: token, as: UTF8.self))
    }

    /// Writes the token of a device, numbered from 0.
    static func write(_ number: Int, to target: inout ArraySlice<UInt8>) {
        var value = (UInt64(truncatingIfNeeded: number) &+ 1) &* 0x9e37_79b9_7f4a_7c15
        for index in target.indices {
            target[index] = hex[Int(value >> 60)]
            value = value << 4 | value >> 60
        }
    }
}
