/// The sizes and times of a client connection.
public struct HTTP2ClientLimits: Sendable {
    /// Streams in flight, however many more the peer would take.
    public var streamsMax = 1_000
    /// Longer answers are cut off.
    public var responseBodyBytesMax = 64 * 1024
    /// Answers come with all their header fields, which costs as much as all the rest of them. A refusal has its
    /// `retry-after` in any case.
    public var keepsResponseHeaders = false
    /// For each address: TCP, TLS and the peer's SETTINGS.
    public var connectTimeout = Duration.seconds(5)
    /// A sender whose thread did not run for so long lets go of what it had not sent by then.
    public var standstillMax = Duration.seconds(1)
    /// Nothing heard for so long: a PING goes out …
    public var pingAfter = Duration.seconds(30)
    /// … and without an answer by then the connection is lost.
    public var pingTimeout = Duration.seconds(5)

    public init() {}
}
