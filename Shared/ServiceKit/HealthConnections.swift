import NIOCore

/// The open connections of a health port, and which of them makes room for another. A newcomer is always let in: else
/// connections that say nothing would keep the probes out.
struct HealthConnections {
    private struct Connection {
        let channel: any Channel
        let client: HealthChannel.Client
        /// A complete request waits for its answer.
        var isAsking = false
    }

    private let bounds: HealthChannel.Bounds
    /// The oldest first.
    private var connections: [Connection] = []

    init(_ bounds: HealthChannel.Bounds) { self.bounds = bounds }

    /// - Returns: the connection that is to be closed: the client's own when it has too many, else one of anybody's;
    ///   the oldest that asks nothing, else the oldest. It counts no more.
    mutating func open(_ channel: any Channel, of client: HealthChannel.Client) -> (any Channel)? {
        defer { connections.append(Connection(channel: channel, client: client)) }
        var rivals = connections.indices.filter { connections[$0].client == client }
        if rivals.count < bounds.connectionsOfClientMax {
            guard connections.count >= bounds.connectionsMax else { return nil }
            rivals = Array(connections.indices)
        }
        guard let index = rivals.first(where: { !connections[$0].isAsking }) ?? rivals.first else { return nil }
        return connections.remove(at: index).channel
    }

    mutating func note(_ channel: any Channel, isAsking: Bool) {
        guard let index = connections.firstIndex(where: { $0.channel === channel }) else { return }
        connections[index].isAsking = isAsking
    }

    mutating func close(_ channel: any Channel) { connections.removeAll { $0.channel === channel } }
}
