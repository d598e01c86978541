/// A complete request as the server received it.
public struct HTTP2Request: Sendable {
    /// The request's connection and its stream there, by which `HTTP2Server`'s faults are addressed.
    public var connection: HTTP2ConnectionID
    public var streamID: Int32
    public var method: String
    public var path: String
    /// The header fields without the pseudo-header fields.
    public var headers: [HTTP2Field]
    public var body: [UInt8]
    /// The body was longer than the server accepts; `body` is its beginning.
    public var bodyIsTooLarge: Bool
}

/// The number of a connection, unique within one server.
public struct HTTP2ConnectionID: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int
    public var description: String { "connection \(rawValue)" }
}
