import Metrics

/// What an operator asks about the sockets of one service, at one of their ends.
struct WireMetrics: Sendable {
    enum End: String { case client, server }

    private let connections: Meter
    private let dropped: Counter
    private let broken: Counter
    private let lines = LinePerSecond()

    /// - Parameter folder: where the sockets are; its name is the service's.
    init(folder: String, _ end: End) {
        let service = folder.split(separator: "/").last.map(String.init) ?? "none"
        let dimensions = [("service", service), ("end", end.rawValue)]
        connections = Meter(label: "sightscreen_socket_connections", dimensions: dimensions)
        dropped = Counter(label: "sightscreen_socket_frames_dropped_total", dimensions: dimensions)
        broken = Counter(label: "sightscreen_socket_connections_broken_total", dimensions: dimensions)
        // They show before anything happens.
        connections.increment(by: 0)
        dropped.increment(by: 0)
        broken.increment(by: 0)
    }

    func opened() { connections.increment(by: 1) }
    func closed() { connections.decrement(by: 1) }

    /// A frame did not go out because its reader is too slow, which costs the reader its connection.
    func droppedFrame() { dropped.increment() }

    /// A connection is closed because of what came on it, or who it came from.
    /// - Returns: how many of these the log was not told since its last line; nil: it is not told of this one either.
    func brokenConnection() -> Int? {
        broken.increment()
        return lines.admit()
    }
}
