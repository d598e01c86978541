import Glibc
import NIOCore
import NIOHTTP1

/// Closes a connection that takes too long over sending a request or over taking the answer: a client that only dribbles
/// is gone in the end, whatever it dribbles.
final class RequestDeadline: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let times: GatewayTimes
    private let metrics: ServerMetrics
    /// Requests whose answers the kernel does not have yet.
    private var unanswered = 0
    private var isInBody = false
    private var deadline = NIODeadline.distantFuture
    private var alarm: Scheduled<Void>?

    init(times: GatewayTimes, metrics: ServerMetrics) {
        self.times = times
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) { begin(context) }

    /// A connection is set up before it is open.
    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isInBody = true
            begin(context)
        case .body: break
        case .end:
            isInBody = false
            begin(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [self] in
            unanswered -= 1
            begin(context)
        }
        context.write(data, promise: written)
    }

    /// Whoever answers says 400 and closes.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { metrics.refused(.malformed) }
        context.fireErrorCaught(error)
    }

    /// A new wait begins. A later deadline needs no new alarm: the one that is set finds out.
    private func begin(_ context: ChannelHandlerContext) {
        deadline = .now() + (isInBody ? times.body : unanswered > 0 ? times.answer : times.head)
        setAlarm(context)
    }

    private func setAlarm(_ context: ChannelHandlerContext) {
        guard alarm == nil, context.channel.isActive else { return }
        alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            alarm = nil
            guard NIODeadline.now() >= deadline else { return setAlarm(context) }
            // One that was only kept open for a next request did nothing wrong.
            if isInBody || unanswered > 0 { metrics.refused(.slow) }
            // The kernel would keep an answer that is not read for minutes after the close; so it is thrown away, with a reset.
            if unanswered > 0, let socket = context.channel as? any SocketOptionProvider {
                _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            }
            context.close(promise: nil)
        }
    }
}
