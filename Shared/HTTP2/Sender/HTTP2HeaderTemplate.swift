internal import CNGHTTP2

/// The header fields that many requests share. The template is made once; per request only `:path` is filled in, and a
/// field that differs in each request.
public final class HTTP2HeaderTemplate: Sendable {
    public let fields: [HTTP2Field]
    private let native: HTTP2NativeFields
    private let hasUniqueField: Bool
    private static let pathIndex = 2
    /// The most fields, including pseudo-header fields: twice as many as a push has.
    static let fieldsMax = 24

    /// - Parameters:
    ///   - authority: the host, with the port where it is not 443.
    ///   - fields: all fields but the pseudo-header fields, with names in lower case.
    ///   - uniqueField: the name of a field that gets another UUID in each request.
    public init(method: String = "POST", authority: String, fields: [HTTP2Field], uniqueField: String? = nil) {
        let all =
            [
                HTTP2Field(":method", method), HTTP2Field(":scheme", "https"),
                HTTP2Field(":path", "", neverIndexed: true), HTTP2Field(":authority", authority),
            ] + fields + (uniqueField.map { [HTTP2Field($0, "")] } ?? [])
        precondition(all.count <= Self.fieldsMax, "a request has at most \(Self.fieldsMax) fields")
        self.fields = all
        hasUniqueField = uniqueField != nil
        native = HTTP2NativeFields(all)
    }

    /// Writes the fields in nghttp2's form, for one submission. nghttp2 has to copy only the path and the unique field,
    /// because the template outlives the request's HEADERS.
    /// - Parameters:
    ///   - isFirst: whether the request is the first on its connection. Then the unique field is added to the HPACK
    ///     table, so that later ones can refer to its name; their values are not added, as Apple asks.
    /// - Returns: the number of fields, at most `fieldsMax`.
    func copyNative(
        to target: UnsafeMutablePointer<nghttp2_nv>, path: UnsafeBufferPointer<UInt8>, id: inout HTTP2UniqueID,
        isFirst: Bool
    ) -> Int {
        if let start = native.fields.baseAddress { target.update(from: start, count: native.fields.count) }
        target[Self.pathIndex].value = UnsafeMutablePointer(mutating: path.baseAddress)
        target[Self.pathIndex].valuelen = path.count
        target[Self.pathIndex].flags = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        if hasUniqueField {
            let value = id.next()
            let place = native.fields.count - 1
            target[place].value = UnsafeMutablePointer(mutating: value.baseAddress)
            target[place].valuelen = value.count
            target[place].flags = UInt8(
                NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | (isFirst ? 0 : NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
        }
        return native.fields.count
    }
}
