internal import CNGHTTP2

/// The header fields that many requests share. Made once; per request only `:path` is filled in.
///
/// `@unchecked Sendable`: its memory is written in `init` and only read afterwards.
public final class HTTP2HeaderTemplate: @unchecked Sendable {
    public let fields: [HTTP2Field]
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let native: [nghttp2_nv]
    private static let pathIndex = 2

    /// - Parameters:
    ///   - authority: host, and port where it is not 443.
    ///   - fields: all but the pseudo-header fields, names in lower case.
    public init(method: String = "POST", authority: String, fields: [HTTP2Field]) {
        let all =
            [
                HTTP2Field(":method", method), HTTP2Field(":scheme", "https"),
                HTTP2Field(":path", "", neverIndexed: true), HTTP2Field(":authority", authority),
            ] + fields
        self.fields = all
        let count = all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(count, 1))
        self.bytes = bytes
        var offset = 0
        func place(_ text: String) -> (UnsafeMutablePointer<UInt8>?, Int) {
            let start = bytes.baseAddress.map { $0 + offset }
            for byte in text.utf8 {
                bytes.initializeElement(at: offset, to: byte)
                offset += 1
            }
            return (start, text.utf8.count)
        }
        var native: [nghttp2_nv] = []
        for field in all {
            let (name, nameCount) = place(field.name)
            let (value, valueCount) = place(field.value)
            native.append(
                nghttp2_nv(
                    name: name, value: value, namelen: nameCount, valuelen: valueCount,
                    flags: UInt8(field.neverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0)))
        }
        self.native = native
    }

    deinit { bytes.deallocate() }

    /// nghttp2 copies names and values during the call that `body` makes.
    func withNative<Result>(path: String, _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        var fields = native
        var path = path
        return path.withUTF8 { bytes in
            fields[Self.pathIndex].value = UnsafeMutablePointer(mutating: bytes.baseAddress)
            fields[Self.pathIndex].valuelen = bytes.count
            return fields.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}
