import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with bounds on the number of connections, the size of a head and of a body, and the
/// time that each step takes.
///
/// Only HTTP/1.1 is spoken: a proxy in front ends TLS and HTTP/2, so attacks on HTTP/2 (rapid reset, CONTINUATION,
/// HPACK) do not apply here. HTTP/2's preface is refused, and no upgrade to it is granted.
struct GatewayChannel: ServerChildChannel {
    private let http1: HTTP1Channel
    private let connections: ConnectionTable
    private let proxies: TrustedProxies
    private let times: GatewayTimes
    private let metrics: ServerMetrics

    init(
        responder: @escaping HTTPChannelHandler.Responder, connections: ConnectionTable, proxies: TrustedProxies,
        times: GatewayTimes, metrics: ServerMetrics
    ) {
        http1 = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: GatewayLimits.headerBytesMax,
                    maxHeaderListSize: GatewayLimits.headerBytesMax,
                    maxHeaderFieldCount: GatewayLimits.headerFieldsMax)))
        self.connections = connections
        self.proxies = proxies
        self.times = times
        self.metrics = metrics
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<GatewayConnection> {
        let client = limitedClient(channel)
        do throws(Refusal) {
            try connections.open(client)
        } catch {
            return refuse(channel, error)
        }
        channel.closeFuture.whenComplete { [connections] _ in connections.close(client) }
        _ = channel.setOption(.socketOption(.so_sndbuf), value: .init(GatewayLimits.sendBufferBytes))
        return http1.setup(channel: channel, logger: logger).flatMapThrowing { [times, metrics] http in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
            guard let decoder = decoder as? any ChannelHandler & RemovableChannelHandler else {
                throw Refusal.malformed
            }
            let size = RequestSize(metrics: metrics)
            try pipeline.addHandler(size, position: .before(decoder))
            try pipeline.addHandler(
                RequestDeadline(times: times, metrics: metrics, size: size), position: .after(decoder))
            return GatewayConnection(channel: channel, http: http)
        }
    }

    func handle(value: GatewayConnection, logger: Logger) async {
        if let http = value.http { await http1.handle(value: http, logger: logger) }
    }

    private func refuse(_ channel: any Channel, _ refusal: Refusal) -> EventLoopFuture<GatewayConnection> {
        metrics.refused(refusal)
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(RefusedConnection())
            return GatewayConnection(channel: channel, http: nil)
        }
    }
    /// Returns the client whose connections are limited; nil for trusted proxies, which carry the connections of all
    /// clients.
    private func limitedClient(_ channel: any Channel) -> AddressBlock? {
        guard let peer = IPAddress(channel.remoteAddress), !proxies.contains(peer) else { return nil }
        return AddressBlock(clientAt: peer)
    }
}

/// A connection. `http` is nil if the connection was refused.
struct GatewayConnection: ServerChildChannelValue {
    let channel: any Channel
    let http: HTTP1Channel.Value?
}

/// Answers 503 to a connection beyond the bounds, and closes it.
private final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let answer =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    func channelActive(context: ChannelHandlerContext) {
        // The answer fits into an empty socket buffer. Waiting for the client would keep open what is refused.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
        context.close(promise: nil)
    }
}
