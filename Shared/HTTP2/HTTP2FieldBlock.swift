internal import CNGHTTP2

/// Header fields in nghttp2's form, for one call.
struct HTTP2FieldBlock {
    private let fields: [HTTP2Field]

    init(_ fields: [HTTP2Field]) { self.fields = fields }

    func withNative<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        var bytes: [UInt8] = []
        for field in fields {
            bytes.append(contentsOf: field.name.utf8)
            bytes.append(contentsOf: field.value.utf8)
        }
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var offset = 0
            func take(_ text: String) -> UnsafeMutablePointer<UInt8>? {
                defer { offset += text.utf8.count }
                return buffer.baseAddress.map { $0 + offset }
            }
            let native = fields.map { field in
                nghttp2_nv(
                    name: take(field.name), value: take(field.value), namelen: field.name.utf8.count,
                    valuelen: field.value.utf8.count,
                    flags: UInt8(field.neverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0))
            }
            return native.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}
