/// What a stranger may ask of the gateway. Each bound is far above what the app needs.
enum GatewayLimits {
    /// The largest body that is read.
    static let bodyBytesMax = 16_384
    /// Path and query together.
    static let addressBytesMax = 2_048
    static let headerBytesMax = 16_384
    static let headerFieldsMax = 64
    /// JSON arrays and objects in each other.
    static let jsonDepthMax = 16
    /// A connection on which nothing happens.
    static let idleSeconds: Int64 = 10
    /// A body that comes in drops: idle time does not see it.
    static let bodyDeadline = Duration.seconds(15)
    /// More connections wait in the backlog, so that a flood costs no memory here.
    static let connectionsMax = 4_096
    /// Matches on one page, and without being asked for a number.
    static let pageMax = 200
    static let pageDefault = 50
    /// Activities that one phone can report; iOS shows five.
    static let runningActivitiesMax = 16
}
