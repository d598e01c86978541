/// The state of one connection of the simulator.
final class SimulatorConnection {
    var history = ProviderTokenHistory()
    /// Whether the connection has shown a valid provider token, and may have many streams.
    var isTrusted = false
    /// Whether a push was refused, so that it may have few streams until the next valid one.
    var isSlowedDown = false
    /// The header block of the last push; most pushes repeat it.
    var block: HeaderBlock?
    var payload: KnownPayload?
    /// The `authorization` of the last publish or management call that was found valid, and the time until which it is,
    /// in seconds since 1970.
    var authorization: (value: String, goodUntil: Int)?
}
