/// Where log events go. It returns at once: what takes time it does elsewhere.
public protocol LogDestination: Sendable {
    func record(_ event: LogEvent)
}
