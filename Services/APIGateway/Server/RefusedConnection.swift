import NIOCore

/// Says why, and closes.
final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let refusal: Refusal

    init(_ refusal: Refusal) { self.refusal = refusal }

    func channelActive(context: ChannelHandlerContext) {
        // It fits into an empty socket buffer. Waiting for the client would be what it is refused for.
        context.writeAndFlush(wrapOutboundOut(RefusalAnswer.bytes(refusal)), promise: nil)
        context.close(promise: nil)
    }
}
