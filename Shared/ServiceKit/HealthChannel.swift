import Glibc
import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

/// HTTP/1.1 for probes and scrapes: few connections, each for a short time, so that a health port costs its service no
/// more than that, whatever reaches it.
struct HealthChannel: ServerChildChannel {
    /// The bounds of a health port.
    struct Bounds: Sendable {
        var connectionsMax = 32
        /// Of one client: an IPv4 address, an IPv6 /64, or this machine under all its loopback addresses, of which a
        /// program can use millions.
        var connectionsOfClientMax = 8
        /// The bytes that a connection may send: some probes, each with a long head. A request here has no body.
        var bytesMax = 65_536
        /// The time from the opening of a connection until it is closed, whatever it is doing: a request that does not
        /// end, an answer that is not read, or nothing.
        var life = TimeAmount.seconds(10)
    }

    /// The number of open connections of each client.
    typealias Connections = NIOLockedValueBox<[Client: Int]>

    /// Whose connections are counted together.
    enum Client: Hashable {
        case machine
        /// An IPv4 address, as IPv6 prefix of 12 and 4 bytes, or the first 8 bytes of an IPv6 address.
        case network([UInt8])

        init(_ address: SocketAddress?) {
            // A Unix socket has no address.
            let text = address?.ipAddress ?? "127.0.0.1"
            var (old, bytes) = ([UInt8](repeating: 0, count: 4), [UInt8](repeating: 0, count: 16))
            if inet_pton(AF_INET, text, &old) == 1 {
                bytes = Self.mapped + old
            } else {
                inet_pton(AF_INET6, text, &bytes)
            }
            let isMapped = bytes.starts(with: Self.mapped)
            let isLoopback = isMapped ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
            self = isLoopback ? .machine : .network(isMapped ? bytes : Array(bytes.prefix(8)))
        }

        /// The beginning of IPv4 addresses in IPv6, as a socket of both shows them.
        private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
    }

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
        let client = Client(channel.remoteAddress)
        let isAdmitted = connections.withLockedValue { connections in
            let own = connections[client, default: 0]
            guard own < bounds.connectionsOfClientMax, connections.values.reduce(0, +) < bounds.connectionsMax else {
                return false
            }
            connections[client] = own + 1
            return true
        }
        guard isAdmitted else { return channel.eventLoop.makeSucceededFuture(Connection(channel: channel, http: nil)) }
        let end = channel.eventLoop.scheduleTask(in: bounds.life) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [connections] _ in
            end.cancel()
            connections.withLockedValue { connections in
                let own = connections[client, default: 1] - 1
                connections[client] = own == 0 ? nil : own
            }
        }
        return http1.setup(channel: channel, logger: logger).flatMapThrowing { [bounds] http in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
            if let decoder = decoder as? any ChannelHandler & RemovableChannelHandler {
                try pipeline.addHandler(HostOfOldProbes(), position: .after(decoder))
            }
            try pipeline.addHandler(ReceivedBytes(max: bounds.bytesMax), position: .first)
            return Connection(channel: channel, http: http)
        }
    }

    func handle(value: Connection, logger: Logger) async {
        guard let http = value.http else { return value.channel.close(promise: nil) }
        await http1.handle(value: http, logger: logger)
    }
}

/// Closes a connection on which more arrives than a probe sends. Hummingbird answers a request at once, and reads a body
/// that belongs to none of the routes to its end.
private final class ReceivedBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let max: Int
    private var count = 0

    init(max: Int) { self.max = max }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        guard count <= max else { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }
}

/// Lets probes of HTTP/1.0 call this machine without naming it, as haproxy's do. Every browser names a host.
private final class HostOfOldProbes: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(var head) = unwrapInboundIn(data), head.version == .http1_0, !head.headers.contains(name: "Host")
        {
            head.headers.add(name: "Host", value: "localhost")
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } else {
            context.fireChannelRead(data)
        }
    }
}
