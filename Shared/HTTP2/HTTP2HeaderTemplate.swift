internal import CNGHTTP2

/// The header fields that many requests share. Made once; per request only `:path` is filled in.
public final class HTTP2HeaderTemplate: Sendable {
    public let fields: [HTTP2Field]
    private let native: HTTP2NativeFields
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
        native = HTTP2NativeFields(all)
    }

    /// Writes the fields in nghttp2's form, for one submission; only the path has to be copied by it then, since a template
    /// outlives the request's HEADERS.
    /// - Returns: their number, at most `fieldsMax`.
    func copyNative(to target: UnsafeMutablePointer<nghttp2_nv>, path: UnsafeBufferPointer<UInt8>) -> Int {
        if let start = native.fields.baseAddress { target.update(from: start, count: native.fields.count) }
        target[Self.pathIndex].value = UnsafeMutablePointer(mutating: path.baseAddress)
        target[Self.pathIndex].valuelen = path.count
        target[Self.pathIndex].flags = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        return native.fields.count
    }
}
