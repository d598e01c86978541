import Metrics

/// Metrics of the sockets of one service, at one of their ends.
struct WireMetrics: Sendable {
    enum End: String { case client, server }

    private let connections: Meter
    private let dropped: Counter
    private let broken: Counter
    private let limiter = LogRateLimiter()

    /// - Parameter folder: the folder of the sockets, named after the service.
    init(folder: String, _ end: End) {
        let service = folder.split(separator: "/").last.map(String.init) ?? "none"
        let dimensions = [("service", service), ("end", end.rawValue)]
        connections = Meter(label: "sightscreen_socket_connections", dimensions: dimensions)
        dropped = Counter(label: "sightscreen_socket_frames_dropped_total", dimensions: dimensions)
        broken = Counter(label: "sightscreen_socket_connections_broken_total", dimensions: dimensions)
        // The metrics exist from the beginning, before anything happens.
        connections.increment(by: 0)
        dropped.increment(by: 0)
        broken.increment(by: 0)
    }

    func opened() { connections.increment(by: 1) }
    func closed() { connections.decrement(by: 1) }

    /// Counts a frame that was not sent because its reader is too slow, which costs the reader its connection.
    func droppedFrame() { dropped.increment() }

    /// Counts a connection that is closed because of what came on it, or because of its peer's user.
    /// - Returns: how many of these were not logged since the last line; nil when this one is not to be logged either.
    func brokenConnection() -> Int? {
        broken.increment()
        return limiter.admit()
    }
}
