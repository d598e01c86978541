/// A complete request as a server got it.
public struct HTTP2Request: Sendable {
    /// The connection it came on and its stream there: what `HTTP2Server`'s faults are aimed at.
    public var connection: HTTP2ConnectionID
    public var streamID: Int32
    public var method: String
    public var path: String
    /// Without the pseudo-header fields.
    public var headers: [HTTP2Field]
    public var body: [UInt8]
    /// The body was longer than the server takes; `body` is its beginning.
    public var bodyIsTooLarge: Bool
}

/// Tells the connections of one server apart.
public struct HTTP2ConnectionID: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int
    public var description: String { "connection \(rawValue)" }
}
