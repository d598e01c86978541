/// The settings that one end of a connection announces; nil leaves HTTP/2's default.
public struct HTTP2Settings: Sendable {
    /// The streams that the peer may have open at once.
    public var concurrentStreamsMax: Int?
    /// The body bytes that the peer may send on a stream before it gets a window update.
    public var initialWindowBytes: Int?
    /// The body bytes that the peer may send on the whole connection before it gets a window update.
    public var connectionWindowBytes: Int?

    package init(
        concurrentStreamsMax: Int? = nil, initialWindowBytes: Int? = nil, connectionWindowBytes: Int? = nil
    ) {
        self.concurrentStreamsMax = concurrentStreamsMax
        self.initialWindowBytes = initialWindowBytes
        self.connectionWindowBytes = connectionWindowBytes
    }
}
