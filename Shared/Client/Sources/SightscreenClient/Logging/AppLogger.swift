import Synchronization

/// The app's only way to log: every event goes to every destination, in the same words.
///
///     AppLogger.info("Token registered", category: .liveActivity)
///     AppLogger.error("Failed to adopt push-started LA", error: error, category: .liveActivity)
///
/// A message is a constant, so that no data gets into it; data is passed as metadata. Callers pass no tokens,
/// passwords, codes or addresses. One that is in the text of an error is shortened.
public enum AppLogger {
    private struct Hub: Sendable {
        var destinations: [any LogDestination] = []
        var clock: any ClientClock = SystemClientClock()
    }

    private static let common = Mutex(Hub())
    /// The destinations of the current test.
    @TaskLocal private static var scoped: Hub?

    /// Sets the destinations. Call it once, before everything else in the app; earlier events are lost.
    public static func start(_ destinations: [any LogDestination], clock: any ClientClock = SystemClientClock()) {
        common.withLock { $0 = Hub(destinations: destinations, clock: clock) }
    }

    /// Sends the events of `operation`, and of the tasks that it starts, only to these destinations.
    @discardableResult
    public static func with<Value>(
        _ destinations: [any LogDestination], clock: any ClientClock = SystemClientClock(),
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        try await $scoped.withValue(Hub(destinations: destinations, clock: clock), operation: operation)
    }

    public static func debug(_ message: StaticString, category: LogCategory, metadata: [String: String] = [:]) {
        log(.debug, message, nil, category, metadata)
    }

    public static func info(_ message: StaticString, category: LogCategory, metadata: [String: String] = [:]) {
        log(.info, message, nil, category, metadata)
    }

    public static func warning(
        _ message: StaticString, error: (any Error)? = nil, category: LogCategory, metadata: [String: String] = [:]
    ) {
        log(.warning, message, error, category, metadata)
    }

    public static func error(
        _ message: StaticString, error: (any Error)? = nil, category: LogCategory, metadata: [String: String] = [:]
    ) {
        log(.error, message, error, category, metadata)
    }

    private static func log(
        _ level: LogLevel, _ message: StaticString, _ error: (any Error)?, _ category: LogCategory,
        _ metadata: [String: String]
    ) {
        let hub = scoped ?? common.withLock { $0 }
        guard !hub.destinations.isEmpty else { return }
        let event = LogEvent(
            level: level, category: category, message: "\(message)", metadata: metadata, error: error.map { "\($0)" },
            at: hub.clock.now)
        for destination in hub.destinations { destination.record(event) }
    }
}
