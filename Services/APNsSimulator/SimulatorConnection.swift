import APNsProtocol

/// What the simulator knows of one connection.
final class SimulatorConnection {
    var history = ProviderTokenHistory()
    /// It has shown a good provider token, and may have many streams.
    var isTrusted = false
    /// A push was refused, and it may have few streams until the next good one.
    var isSlowedDown = false
    /// Of its last request: the next one is mostly the same.
    var block: HeaderBlock?
    var payload: KnownPayload?
}
