internal import CNGHTTP2

/// An answer that many requests get. It is made once; per answer only the values of some fields are filled in.
public final class HTTP2Answer: Sendable {
    /// A field whose value differs from answer to answer, while its length stays the same.
    public struct Varying: Sendable {
        public var name: String
        public var count: Int

        package init(_ name: String, count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// The values of the varying fields of one answer, one after the other: at most the text of two UUIDs.
    public struct Values: Sendable {
        public static let bytesMax = 72
        private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0, 0)

        public init() {}

        public mutating func withUnsafeMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result
        {
            Swift.withUnsafeMutableBytes(of: &words) { body($0) }
        }
    }

    let body: HTTP2SharedBody
    private let native: HTTP2NativeFields
    private let varying: [Int]
    private static let firstVarying = 1
    /// The most fields of one answer; the APNs simulator uses three.
    static let fieldsMax = 64

    /// - Parameters:
    ///   - varying: fields whose values have at most `Values.bytesMax` bytes together. No HPACK table keeps them.
    ///   - fields: the other fields, without `:status`, with names in lower case.
    public init(status: Int, varying: [Varying] = [], fields: [HTTP2Field] = [], body: [UInt8] = []) {
        precondition(varying.reduce(0) { $0 + $1.count } <= Values.bytesMax, "the varying values are too long")
        precondition(fields.count + varying.count < Self.fieldsMax, "an answer has at most \(Self.fieldsMax) fields")
        native = HTTP2NativeFields(
            [HTTP2Field(":status", String(status))]
                + varying.map { HTTP2Field($0.name, "", neverIndexed: true) } + fields)
        self.varying = varying.map(\.count)
        self.body = HTTP2SharedBody(body)
    }

    public convenience init(_ response: HTTP2Response) {
        self.init(status: response.status, fields: response.headers, body: response.body)
    }

    /// Writes the fields in nghttp2's form, for one submission. This object and the values must stay until the answer's
    /// HEADERS are sent.
    /// - Returns: the number of fields, at most `fieldsMax`.
    func copyNative(
        to target: UnsafeMutablePointer<nghttp2_nv>, values: UnsafeMutablePointer<Values>
    ) -> Int {
        if let start = native.fields.baseAddress { target.update(from: start, count: native.fields.count) }
        var next = UnsafeMutableRawPointer(values).assumingMemoryBound(to: UInt8.self)
        for (index, count) in varying.enumerated() {
            target[Self.firstVarying + index].value = next
            target[Self.firstVarying + index].valuelen = count
            next += count
        }
        return native.fields.count
    }
}
