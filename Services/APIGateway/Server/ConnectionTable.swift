import NIOConcurrencyHelpers

/// Counts open connections, in all and for each client, and refuses those beyond the bounds.
final class ConnectionTable: Sendable {
    private struct State {
        var all = 0
        /// The connections of each client; never more entries than connections.
        var clients: [AddressBlock: Int] = [:]
    }

    private let max: Int
    private let ofClientMax: Int
    private let metrics: ServerMetrics
    private let state = NIOLockedValueBox(State())

    init(
        max: Int = GatewayLimits.connectionsMax, ofClientMax: Int = GatewayLimits.connectionsOfClientMax,
        metrics: ServerMetrics
    ) {
        self.max = max
        self.ofClientMax = ofClientMax
        self.metrics = metrics
    }

    /// Counts a connection. Unless this throws, `close` must be called once for it.
    /// - Parameter client: nil for a peer without a limit of its own.
    /// - Throws: `Refusal.connections` or `Refusal.connectionsOfClient`.
    func open(_ client: AddressBlock?) throws(Refusal) {
        let (refusal, all) = state.withLockedValue { state -> (Refusal?, Int) in
            guard state.all < max else { return (.connections, state.all) }
            if let client {
                let count = state.clients[client, default: 0]
                guard count < ofClientMax else { return (.connectionsOfClient, state.all) }
                state.clients[client] = count + 1
            }
            state.all += 1
            return (nil, state.all)
        }
        if let refusal { throw refusal }
        metrics.open(all)
    }

    func close(_ client: AddressBlock?) {
        let all = state.withLockedValue { state in
            if let client {
                let count = state.clients[client, default: 1] - 1
                state.clients[client] = count == 0 ? nil : count
            }
            state.all -= 1
            return state.all
        }
        metrics.open(all)
    }
}
