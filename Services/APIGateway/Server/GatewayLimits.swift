/// Bounds on what any client may ask of the gateway. Each is far above what the app needs. Bounds on time are in
/// `GatewayTimes`.
enum GatewayLimits {
    /// The largest body that is read.
    static let bodyBytesMax = 16_384
    /// The bytes between a request's head and its end on the wire, after which its connection is closed. A body of
    /// `bodyBytesMax` in chunks of one byte takes six times its size; a longer one is read so far, so that a client which
    /// writes before it reads gets its answer.
    static let bodyWireBytesMax = 262_144
    /// The length of path and query together.
    static let addressBytesMax = 2_048
    /// The size of names and values together. A bearer token takes at most two kilobytes of them.
    static let headerBytesMax = 16_384
    static let headerFieldsMax = 64
    /// The depth to which JSON arrays and objects may be nested.
    static let jsonDepthMax = 16
    /// The most connections. Further ones are refused at once, so that a client can try another gateway.
    static let connectionsMax = 4_096
    /// The most connections of one client, which is an IPv4 address or an IPv6 /64. One address may stand for a company
    /// or a mobile network's translator; in production a proxy is in front, to which this bound does not apply.
    static let connectionsOfClientMax = 256
    /// The kernel's buffer for answers that a client does not read; Linux doubles the value. By default it would grow
    /// to megabytes.
    static let sendBufferBytes: Int32 = 131_072
    /// The number of connections that the kernel holds until the gateway accepts them.
    static let backlog: Int = 1_024
    /// The file descriptors reserved for all but clients' connections: the database, sockets, logs.
    static let otherFilesMax = 256
    /// The most matches on a page; `pageDefault` is the number if none is asked for.
    static let pageMax = 200
    static let pageDefault = 50
    /// The most activities that one phone can report; iOS shows five.
    static let runningActivitiesMax = 16
}
