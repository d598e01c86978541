public import FoundationEssentials
import SportMonks

/// Decodes JSON that another process wrote: a frame of a socket, a value in the database. Its figures are bounded before
/// anything is decoded, because what is decoded is added, multiplied and converted, and Swift ends the process where
/// that overflows. It is UTF-8 alone: the decoder would also take UTF-16 and UTF-32, in which the figures are not seen
/// here.
public enum BoundedJSON {
    public static let figureMax = SlimFixture.figureMax

    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some ContiguousBytes, with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        let data = bytes.withUnsafeBytes { Data($0) }
        guard data.withUnsafeBytes(isUTF8) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not plain UTF-8"))
        }
        guard data.withUnsafeBytes(figuresAreBounded) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "a figure is beyond ±\(figureMax)"))
        }
        return try decoder.decode(type, from: data)
    }

    /// Whether the bytes are UTF-8 that the decoder cannot take for anything else: it tells other encodings by a byte
    /// order mark or by NUL bytes, neither of which JSON has.
    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.contains(0) && !bytes.starts(with: [0xEF, 0xBB, 0xBF]) && String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether no number has more than `figureMax` before its point. A positive exponent, which no encoder of ours
    /// writes for such numbers, counts as beyond. Whether the text is JSON is for the decoder to say.
    private static func figuresAreBounded(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        var isInString = false
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if isInString {
                if byte == UInt8(ascii: "\\") { place += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if isDigit(byte) {
                var whole = Int(byte - 0x30)
                while place < bytes.count, isDigit(bytes[place]) {
                    whole = whole * 10 + Int(bytes[place] - 0x30)
                    guard whole <= figureMax else { return false }
                    place += 1
                }
                if place < bytes.count, bytes[place] == UInt8(ascii: ".") { place += 1 }
                while place < bytes.count, isDigit(bytes[place]) { place += 1 }
                if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
                    guard place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "-") else { return false }
                    place += 2
                    while place < bytes.count, isDigit(bytes[place]) { place += 1 }
                }
            }
        }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
