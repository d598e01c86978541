/// What a stranger may ask of the gateway. Each bound is far above what the app needs. How long things may take is in
/// `GatewayTimes`.
enum GatewayLimits {
    /// The largest body that is read.
    static let bodyBytesMax = 16_384
    /// Path and query together.
    static let addressBytesMax = 2_048
    /// Names and values together. A bearer token takes two kilobytes of them at most.
    static let headerBytesMax = 16_384
    static let headerFieldsMax = 64
    /// JSON arrays and objects in each other.
    static let jsonDepthMax = 16
    /// More are refused at once, so that a client looks elsewhere.
    static let connectionsMax = 4_096
    /// Of one client, which is an IPv4 address or an IPv6 /64. Behind one address there may be a company or a mobile
    /// network's translator; in production there is a proxy in front, to which this does not apply.
    static let connectionsOfClientMax = 256
    /// What the kernel keeps of answers that a client does not read (it doubles this); it would take megabytes.
    static let sendBufferBytes: Int32 = 131_072
    /// Connections that the kernel holds until we accept them.
    static let backlog: Int = 1_024
    /// File descriptors for everything that is not a client's connection: the database, sockets, logs.
    static let otherFilesMax = 256
    /// Matches on one page, and without being asked for a number.
    static let pageMax = 200
    static let pageDefault = 50
    /// Activities that one phone can report; iOS shows five.
    static let runningActivitiesMax = 16
}
