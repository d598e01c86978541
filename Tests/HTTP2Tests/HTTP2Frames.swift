/// Frames of HTTP/2 byte by byte, as a peer may send them that keeps to no rule.
struct HTTP2Frames {
    enum Kind: UInt8 {
        case data = 0, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
        /// A kind that no RFC has.
        case unknown = 0xfa
    }

    static let acknowledgement: UInt8 = 1
    static let endStream: UInt8 = 1
    static let endHeaders: UInt8 = 4
    /// The first bytes of a client.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(.settings, stream: 0)

    static func frame(_ kind: Kind, flags: UInt8 = 0, stream: Int32, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16 & 0xff), UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff)]
            + [kind.rawValue, flags] + word(UInt32(stream)) + payload
    }

    static func word(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xff) } }

    /// A header block as HEADERS and as many CONTINUATIONs as it takes.
    static func headers(_ block: [UInt8], flags: UInt8 = 0, stream: Int32) -> [UInt8] {
        let size = 16_384
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: max(block.count, 1), by: size) {
            let end = min(start + size, block.count)
            bytes += frame(
                start == 0 ? .headers : .continuation,
                flags: (start == 0 ? flags : 0) | (end == block.count ? endHeaders : 0),
                stream: stream, Array(block[start..<end]))
        }
        return bytes
    }

    /// A field as a literal (RFC 7541, section 6.2).
    /// - Parameter isKept: whether it enters the table; `newest` then refers to it.
    static func field(_ name: String, _ value: String, isKept: Bool = false) -> [UInt8] {
        [isKept ? 0x40 : 0x00] + string(name) + string(value)
    }

    /// The field that entered the table last.
    static let newest: UInt8 = 0x80 | 62

    static func status(_ code: Int) -> [UInt8] { [0x08, 3] + Array(String(code).utf8) }

    /// The pseudo-header fields of a request.
    static let request: [UInt8] =
        [0x83, 0x87] + [0x04] + string("/1") + [0x01] + string("localhost")

    private static func string(_ text: String) -> [UInt8] {
        var (length, bytes) = (text.utf8.count, [UInt8]())
        if length < 127 {
            bytes = [UInt8(length)]
        } else {
            length -= 127
            bytes = [127]
            while length >= 128 {
                bytes.append(UInt8(length % 128) | 0x80)
                length /= 128
            }
            bytes.append(UInt8(length))
        }
        return bytes + Array(text.utf8)
    }
}
