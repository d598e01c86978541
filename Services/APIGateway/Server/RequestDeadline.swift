import Glibc
import NIOCore
import NIOHTTP1

/// Closes a connection that takes too long to send a request or to read the answer. Sending single bytes does not
/// extend the time.
final class RequestDeadline: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    /// An event that comes before an answer: what to keep until the kernel has the whole of it.
    struct Hold: Sendable {
        let slot: ExportSlots.Slot
    }

    private let times: GatewayTimes
    private let metrics: ServerMetrics
    private let size: RequestSize
    /// The number of requests whose answers the kernel does not have yet.
    private var unanswered = 0
    /// Of the answer that is being made; there is one at a time.
    private var held: ExportSlots.Slot?
    private var isInBody = false
    private var deadline = NIODeadline.distantFuture
    private var alarm: Scheduled<Void>?

    /// - Parameter size: learns where requests begin and end.
    init(times: GatewayTimes, metrics: ServerMetrics, size: RequestSize) {
        self.times = times
        self.metrics = metrics
        self.size = size
    }

    func handlerAdded(context: ChannelHandlerContext) { begin(context) }

    /// The handler is added before the channel is active, so the first deadline begins again here.
    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
        held = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isInBody = true
            size.restart()
            begin(context)
        case .body: break
        case .end:
            isInBody = false
            size.restart()
            begin(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self, held] result in
            withExtendedLifetime(held) {}
            guard case .success = result else { return }
            unanswered -= 1
            begin(context)
        }
        held = nil
        context.write(data, promise: written)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let hold = event as? Hold else { return context.triggerUserOutboundEvent(event, promise: promise) }
        held = hold.slot
        promise?.succeed()
    }

    /// Counts a malformed request; Hummingbird answers it with 400 and closes the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { metrics.refused(.malformed) }
        context.fireErrorCaught(error)
    }

    /// Begins a new wait. A later deadline needs no new timer: the one that is set checks the deadline when it fires.
    private func begin(_ context: ChannelHandlerContext) {
        deadline = .now() + (isInBody ? times.body : unanswered > 0 ? times.answer : times.head)
        setAlarm(context)
    }

    private func setAlarm(_ context: ChannelHandlerContext) {
        guard alarm == nil, context.channel.isActive else { return }
        alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            alarm = nil
            guard NIODeadline.now() >= deadline else { return setAlarm(context) }
            // A connection that was only kept open for its next request did nothing wrong and is not counted.
            if isInBody || unanswered > 0 { metrics.refused(.slow) }
            // The kernel would keep an unread answer for minutes after the close, so the connection is reset, which
            // discards it.
            if unanswered > 0, let socket = context.channel as? any SocketOptionProvider {
                _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            }
            context.close(promise: nil)
        }
    }
}
