import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 connection with our guard in front of its decoder.
///
/// Only HTTP/1.1 is spoken: a proxy in front ends TLS and HTTP/2, so what attacks HTTP/2 (rapid reset, CONTINUATION, HPACK)
/// has nothing to attack here. Its preface is refused, and no upgrade to it is granted.
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
        // The guard has counted already; the decoder, which counts in other ways, must not be the one that refuses.
        http1 = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 2 * GatewayLimits.headerBytesMax,
                    maxHeaderListSize: 2 * GatewayLimits.headerBytesMax,
                    maxHeaderFieldCount: 2 * GatewayLimits.headerFieldsMax)))
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
        return http1.setup(channel: channel, logger: logger).flatMapThrowing { [connections] http in
            let pipeline = channel.pipeline.syncOperations
            let guarding = ConnectionGuard(
                // Those of a proxy of ours are not strangers'.
                times: times, metrics: metrics, isCrowded: { client != nil && connections.isCrowded })
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
            guard let decoder = decoder as? any ChannelHandler & RemovableChannelHandler else { throw Refusal.decoder }
            try pipeline.addHandler(AnswerWatch(guarding), position: .after(decoder))
            // The guard does what this would do.
            let unneeded = try pipeline.handler(type: HTTPConnectionStateHandler.self)
            pipeline.removeHandler(unneeded, promise: nil)
            try pipeline.addHandler(guarding, position: .first)
            return GatewayConnection(channel: channel, http: http)
        }
    }

    func handle(value: GatewayConnection, logger: Logger) async {
        if let http = value.http { await http1.handle(value: http, logger: logger) }
    }

    private func refuse(_ channel: any Channel, _ refusal: Refusal) -> EventLoopFuture<GatewayConnection> {
        metrics.refused(refusal)
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(RefusedConnection(refusal))
            return GatewayConnection(channel: channel, http: nil)
        }
    }

    /// Nil for a proxy of ours, whose connections are those of all clients, and for whom there is no address.
    private func limitedClient(_ channel: any Channel) -> AddressBlock? {
        guard let peer = IPAddress(channel.remoteAddress), !proxies.contains(peer) else { return nil }
        return AddressBlock(clientAt: peer)
    }
}
