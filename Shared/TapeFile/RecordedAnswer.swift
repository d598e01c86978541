/// One answer of the provider, as a line of a tape file.
public struct RecordedAnswer: Sendable, Equatable {
    /// The largest body of a recorded answer, 64 MiB; larger ones were refused when they arrived.
    public static let bodyBytesMax = 64 << 20

    /// Milliseconds from the start of the recording to the answer.
    public var atMs: Int64
    /// The path without base, token or query: "/livescores", "/fixtures/123".
    public var path: String
    /// The HTTP status.
    public var status: Int
    /// The body as it arrived. A JSON object or array keeps its bytes, except for line feeds between its parts. Any
    /// other body is kept as text, which loses bytes that are not UTF-8.
    public var body: [UInt8]

    package init(atMs: Int64, path: String, status: Int, body: [UInt8]) {
        self.atMs = atMs
        self.path = path
        self.status = status
        self.body = body
    }
}
