/// What a handler learns about a message beside its payload.
public struct WireContext: Sendable {
    /// The envelope's id: the same when a sender repeats a request.
    public var id: String
    /// Milliseconds since 1970 by the sender's clock; for people, nothing is decided by it.
    public var sentAt: Int64
    /// W3C trace context.
    public var traceparent: String?
    /// Counts the connections of this server.
    public var connection: Int
}
