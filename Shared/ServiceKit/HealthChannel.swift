import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// HTTP/1.1 for probes and scrapes: few connections, each for a short time, so that a health port costs its service no
/// more than that, whatever reaches it.
struct HealthChannel: ServerChildChannel {
    /// The bounds of a health port.
    struct Bounds: Sendable {
        var connectionsMax = 32
        var connectionsOfAddressMax = 8
        /// The time from the opening of a connection until it is closed, whatever it is doing: a request that does not
        /// end, an answer that is not read, or nothing.
        var life = TimeAmount.seconds(10)
    }

    /// The number of open connections of each address.
    typealias Connections = NIOLockedValueBox<[String: Int]>

    /// A connection; `http` is nil if there were too many, and it is closed.
    struct Connection: ServerChildChannelValue {
        let channel: any Channel
        let http: HTTP1Channel.Value?
    }

    private let http1: HTTP1Channel
    private let bounds: Bounds
    private let connections: Connections

    init(responder: @escaping HTTPChannelHandler.Responder, bounds: Bounds, connections: Connections) {
        http1 = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8_192, maxHeaderListSize: 8_192, maxHeaderFieldCount: 64)))
        self.bounds = bounds
        self.connections = connections
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let isAdmitted = connections.withLockedValue { connections in
            let own = connections[address, default: 0]
            guard own < bounds.connectionsOfAddressMax, connections.values.reduce(0, +) < bounds.connectionsMax else {
                return false
            }
            connections[address] = own + 1
            return true
        }
        guard isAdmitted else { return channel.eventLoop.makeSucceededFuture(Connection(channel: channel, http: nil)) }
        let end = channel.eventLoop.scheduleTask(in: bounds.life) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [connections] _ in
            end.cancel()
            connections.withLockedValue { connections in
                let own = connections[address, default: 1] - 1
                connections[address] = own == 0 ? nil : own
            }
        }
        return http1.setup(channel: channel, logger: logger).map { Connection(channel: channel, http: $0) }
    }

    func handle(value: Connection, logger: Logger) async {
        guard let http = value.http else { return value.channel.close(promise: nil) }
        await http1.handle(value: http, logger: logger)
    }
}
