import NIOCore

/// Closes a connection on which a body does not end. Hummingbird reads a body to its end after the answer, whether or
/// not the route takes one and whatever the answer was. What counts is what comes over the wire: chunks may be of one
/// byte each, and their extensions are no part of the body.
final class RequestSize: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let metrics: ServerMetrics
    private var bytes = 0

    init(metrics: ServerMetrics) { self.metrics = metrics }

    /// A request's head has arrived, or its last byte.
    func restart() { bytes = 0 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytes
        guard bytes <= GatewayLimits.bodyWireBytesMax else {
            metrics.refused(.endless)
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
