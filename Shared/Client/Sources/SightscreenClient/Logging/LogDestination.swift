/// A destination of log events.
public protocol LogDestination: Sendable {
    /// Records an event of any level; the destination decides which ones it shows. It may be called from any thread,
    /// and returns at once: slow work is done elsewhere.
    func record(_ event: LogEvent)
}
