internal import CNGHTTP2

/// The header fields that many requests share. Made once; per request only `:path` is filled in.
///
/// `@unchecked Sendable`: its memory is written in `init` and only read afterwards.
public final class HTTP2HeaderTemplate: @unchecked Sendable {
    public let fields: [HTTP2Field]
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let native: [nghttp2_nv]
    /// The same, read by nghttp2 where it is.
    private let stable: UnsafeMutableBufferPointer<nghttp2_nv>
    private static let pathIndex = 2
    /// Pseudo-header fields included: twice as many as a push has.
    static let fieldsMax = 24

    /// - Parameters:
    ///   - authority: host, and port where it is not 443.
    ///   - fields: all but the pseudo-header fields, names in lower case.
    public init(method: String = "POST", authority: String, fields: [HTTP2Field]) {
        let all =
            [
                HTTP2Field(":method", method), HTTP2Field(":scheme", "https"),
                HTTP2Field(":path", "", neverIndexed: true), HTTP2Field(":authority", authority),
            ] + fields
        precondition(all.count <= Self.fieldsMax, "a request has at most \(Self.fieldsMax) fields")
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
        stable = .allocate(capacity: native.count)
        _ = stable.initialize(from: native)
        let inPlace = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        for index in stable.indices where index != Self.pathIndex { stable[index].flags |= inPlace }
    }

    deinit {
        stable.deallocate()
        bytes.deallocate()
    }

    /// Writes the fields in nghttp2's form, for one submission; only the path has to be copied by it then, since a template
    /// outlives the request's HEADERS.
    /// - Returns: their number, at most `fieldsMax`.
    func copyNative(to target: UnsafeMutablePointer<nghttp2_nv>, path: UnsafeBufferPointer<UInt8>) -> Int {
        if let start = stable.baseAddress { target.update(from: start, count: stable.count) }
        target[Self.pathIndex].value = UnsafeMutablePointer(mutating: path.baseAddress)
        target[Self.pathIndex].valuelen = path.count
        return stable.count
    }

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
