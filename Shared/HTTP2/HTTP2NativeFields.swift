internal import CNGHTTP2

/// Header fields in nghttp2's form. nghttp2 may read them in place for as long as this object lives.
///
/// `@unchecked Sendable`: its memory is written in `init` and only read afterwards.
final class HTTP2NativeFields: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    let fields: UnsafeMutableBufferPointer<nghttp2_nv>

    init(_ all: [HTTP2Field]) {
        let count = all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(count, 1))
        self.bytes = bytes
        var offset = 0
        func place(_ text: String) -> UnsafeMutablePointer<UInt8>? {
            let start = bytes.baseAddress.map { $0 + offset }
            for byte in text.utf8 {
                bytes.initializeElement(at: offset, to: byte)
                offset += 1
            }
            return start
        }
        let inPlace = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        fields = .allocate(capacity: all.count)
        _ = fields.initialize(
            from: all.map { field in
                nghttp2_nv(
                    name: place(field.name), value: place(field.value), namelen: field.name.utf8.count,
                    valuelen: field.value.utf8.count,
                    flags: UInt8(inPlace | (field.neverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0)))
            })
    }

    deinit {
        fields.deallocate()
        bytes.deallocate()
    }
}
