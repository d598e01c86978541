/// The limits of a client connection.
public struct HTTP2ClientLimits: Sendable {
    /// The most streams in flight, even if the peer would accept more.
    public var streamsMax = 1_000
    /// The most bytes kept of an answer's body; longer bodies are cut off. A reason of APNs has a hundred.
    public var responseBodyBytesMax = 4 * 1024
    /// Answers are returned with all their header fields, which costs as much as everything else about them. A refusal
    /// has its `retry-after` in any case.
    public var keepsResponseHeaders = false
    /// The time for connecting to an address: TCP, TLS and the peer's SETTINGS.
    public var connectTimeout = Duration.seconds(5)
    /// The longest stall of the sender's thread after which unsent requests are still sent; after a longer one they are
    /// dropped with the connection.
    public var stallMax = Duration.seconds(1)
    /// The silence of the peer after which a PING is sent.
    public var pingAfter = Duration.seconds(30)
    /// The time after a PING, without hearing anything, after which the connection counts as lost.
    public var pingTimeout = Duration.seconds(5)

    public init() {}
}
