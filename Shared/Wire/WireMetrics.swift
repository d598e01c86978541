import Metrics

/// What an operator asks about the sockets of one service, at one of their ends.
struct WireMetrics: Sendable {
    enum End: String { case client, server }

    private let connections: Meter
    private let dropped: Counter

    /// - Parameter folder: where the sockets are; its name is the service's.
    init(folder: String, _ end: End) {
        let service = folder.split(separator: "/").last.map(String.init) ?? "none"
        let dimensions = [("service", service), ("end", end.rawValue)]
        connections = Meter(label: "sightscreen_socket_connections", dimensions: dimensions)
        dropped = Counter(label: "sightscreen_socket_frames_dropped_total", dimensions: dimensions)
        // They show before anything happens.
        connections.increment(by: 0)
        dropped.increment(by: 0)
    }

    func opened() { connections.increment(by: 1) }
    func closed() { connections.decrement(by: 1) }

    /// A frame did not go out because its reader is too slow, which costs the reader its connection.
    func droppedFrame() { dropped.increment() }
}
