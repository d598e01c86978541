internal import CNGHTTP2

/// The header fields that many requests share. Made once; per request only `:path` is filled in, and a field that is
/// another in each of them.
public final class HTTP2HeaderTemplate: Sendable {
    public let fields: [HTTP2Field]
    private let native: HTTP2NativeFields
    private let hasUniqueField: Bool
    private static let pathIndex = 2
    /// Pseudo-header fields included: twice as many as a push has.
    static let fieldsMax = 24

    /// - Parameters:
    ///   - authority: host, and port where it is not 443.
    ///   - fields: all but the pseudo-header fields, names in lower case.
    ///   - uniqueField: the name of one that has another UUID in each request.
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

    /// Writes the fields in nghttp2's form, for one submission; only the path and the unique field have to be copied by it
    /// then, since a template outlives the request's HEADERS.
    /// - Parameters:
    ///   - isFirst: on its connection. The unique field is put into the table of fields then, so that later ones can name it
    ///     by its place; none of those is, as Apple asks.
    /// - Returns: their number, at most `fieldsMax`.
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
