import Synchronization

/// The newest events, for an overlay in the app: to look for a mistake on a phone that hangs on no cable.
public final class DebugLogService: LogDestination {
    /// A busy evening's, in a few hundred kilobytes.
    public static let eventsMax = 500

    private let eventsMax: Int
    private let kept = Mutex<[LogEvent]>([])
    private let broadcast = Broadcast<[LogEvent]>([])

    public init(eventsMax: Int = DebugLogService.eventsMax) { self.eventsMax = max(eventsMax, 1) }

    /// The oldest first.
    public var events: [LogEvent] { kept.withLock { $0 } }

    /// What is kept, now and after each event. A slow reader gets the newest.
    public func updates() -> AsyncStream<[LogEvent]> { broadcast.values() }

    public func record(_ event: LogEvent) {
        kept.withLock { events in
            if events.count == eventsMax { events.removeFirst() }
            events.append(event)
            // Under the lock, so that readers see them in order.
            broadcast.send(events)
        }
    }

    public func clear() {
        kept.withLock { events in
            events = []
            broadcast.send(events)
        }
    }

    /// All of it as text, to be copied into a report.
    public var text: String { events.map(\.line).joined(separator: "\n") }
}
