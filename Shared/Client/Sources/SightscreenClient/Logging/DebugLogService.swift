import Synchronization

/// Keeps the newest events for an overlay in the app, to find a mistake on a phone without a cable.
public final class DebugLogService: LogDestination {
    /// The most events kept: those of a busy evening, in a few hundred kilobytes.
    public static let eventsMax = 500

    private let eventsMax: Int
    private let kept = Mutex<[LogEvent]>([])
    private let broadcast = Broadcast<[LogEvent]>([])

    public init(eventsMax: Int = DebugLogService.eventsMax) { self.eventsMax = max(eventsMax, 1) }

    /// The kept events, oldest first.
    public var events: [LogEvent] { kept.withLock { $0 } }

    /// Returns a stream of the kept events, now and after each new one. A slow reader gets the newest value.
    public func updates() -> AsyncStream<[LogEvent]> { broadcast.values() }

    public func record(_ event: LogEvent) {
        kept.withLock { events in
            if events.count == eventsMax { events.removeFirst() }
            events.append(event)
            // The events are sent under the lock, so that readers get them in order.
            broadcast.send(events)
        }
    }

    public func clear() {
        kept.withLock { events in
            events = []
            broadcast.send(events)
        }
    }

    /// The kept events as text, to be copied into a report.
    public var text: String { events.map(\.line).joined(separator: "\n") }
}
