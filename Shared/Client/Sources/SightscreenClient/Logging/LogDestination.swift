/// Where log events go. It returns at once: what takes time it does elsewhere.
public protocol LogDestination: Sendable {
    /// Of every level; which of them are shown is the destination's matter. It may be called from any thread.
    func record(_ event: LogEvent)
}
