/// One answer of the provider, as a line of a tape file.
public struct RecordedAnswer: Sendable, Equatable {
    /// A tape's answer has at most so many bytes; larger ones were refused when they came.
    public static let bodyBytesMax = 64 << 20

    /// Milliseconds since recording began.
    public var atMs: Int64
    /// "/livescores", "/fixtures/123": without base, token or query.
    public var path: String
    /// The HTTP status.
    public var status: Int
    /// The body as it came. A JSON object or array keeps its bytes, but for line feeds between its parts; anything else
    /// is kept as text, in which bytes that are no UTF-8 are lost.
    public var body: [UInt8]

    public init(atMs: Int64, path: String, status: Int, body: [UInt8]) {
        self.atMs = atMs
        self.path = path
        self.status = status
        self.body = body
    }
}
