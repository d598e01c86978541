/// The body of a request, made once and shared by all requests that carry it.
///
/// `@unchecked Sendable`: its memory is written in `init` and only read afterwards.
public final class HTTP2SharedBody: @unchecked Sendable {
    let bytes: UnsafeMutableBufferPointer<UInt8>

    public var count: Int { bytes.count }

    public init(_ bytes: [UInt8]) {
        self.bytes = .allocate(capacity: bytes.count)
        _ = self.bytes.initialize(from: bytes)
    }

    deinit { bytes.deallocate() }
}
