/// What one end of a connection announces and allows.
public struct HTTP2Settings: Sendable {
    /// Streams the peer may have open at once.
    public var concurrentStreamsMax: Int?
    /// Body bytes that the peer may send on a stream before it is told that they were taken in.
    public var initialWindowBytes: Int?
    /// The same for the whole connection.
    public var connectionWindowBytes: Int?
    public var headerTableBytes: Int?
    public var headerListBytes: Int?

    public init(
        concurrentStreamsMax: Int? = nil, initialWindowBytes: Int? = nil, connectionWindowBytes: Int? = nil,
        headerTableBytes: Int? = nil, headerListBytes: Int? = nil
    ) {
        self.concurrentStreamsMax = concurrentStreamsMax
        self.initialWindowBytes = initialWindowBytes
        self.connectionWindowBytes = connectionWindowBytes
        self.headerTableBytes = headerTableBytes
        self.headerListBytes = headerListBytes
    }
}
