/// The facts about a message that its handler gets beside the payload.
public struct WireContext: Sendable {
    /// The envelope's id: for a request the sender's count of requests on the connection, for a notice a random text.
    public var id: String
    /// Milliseconds since 1970 by the sender's clock, for people who read logs; no decision depends on it.
    public var sentAt: Int64
    /// The W3C trace context (`traceparent`).
    public var traceparent: String?
    /// The number of the connection, counted by this server.
    public var connection: Int
}
