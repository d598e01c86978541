import Glibc
import NIOCore

/// The first thing behind the socket. It lets the decoder have a request when the whole of it is here, is well-formed and
/// small enough, and when the one before has been answered; it closes connections that take too long over anything.
///
/// So the decoder never meets a request that two servers might read differently, a handler never waits for a client, and
/// a refusal never cuts into an answer.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private enum Phase {
        /// Waiting for a request, or for the rest of it.
        case reading
        /// A request is with the decoder or its handler.
        case answering
        /// The last answer is written; whatever still comes is thrown away.
        case lingering
    }

    private let times: GatewayTimes
    private let metrics: ServerMetrics
    private var phase = Phase.reading
    private var clock: ConnectionClock
    /// What has come and is not yet with the decoder.
    private var received = ByteBuffer()
    private var scanner = RequestScanner()
    private var hasAskedForBody = false
    /// The connection ends with the answer that is being made.
    private(set) var isLast = false
    private(set) var isDecoded = false
    private var inputIsClosed = false
    private var holdsRead = false
    private var context: ChannelHandlerContext?
    private var alarm: (deadline: NIODeadline, task: Scheduled<Void>)?

    /// Whether connections are so scarce that this one is not kept for a next request.
    private let isCrowded: @Sendable () -> Bool

    init(times: GatewayTimes, metrics: ServerMetrics, isCrowded: @escaping @Sendable () -> Bool = { false }) {
        self.isCrowded = isCrowded
        self.times = times
        self.metrics = metrics
        clock = ConnectionClock(times: times, openedAt: .now())
    }

    // MARK: - The client's part

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { setAlarm() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        alarm = nil
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        setAlarm()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        alarm = nil
        phase = .lingering
        received = ByteBuffer()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .lingering else { return }
        var bytes = unwrapInboundIn(data)
        if received.readableBytes == 0 {
            received = bytes
        } else {
            received.discardReadBytes()
            received.writeBuffer(&bytes)
        }
        if phase == .reading { readRequests() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Nobody behind us asks for more by now, but the end of the stream is still to be read.
        if phase == .lingering { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            inputIsClosed = true
            if phase != .answering { endOfInput() }
        case is ChannelShouldQuiesceEvent:
            isLast = true
            if phase == .reading { context.close(promise: nil) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Trouble with the socket: there is nobody left to tell.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// The client sends nothing more. What it sent before is answered by now.
    private func endOfInput() {
        if phase == .reading, received.readableBytes > 0 { refuse(.incomplete) } else { context?.close(promise: nil) }
    }

    /// Takes the next request out of what has come.
    private func readRequests() {
        guard received.readableBytes > 0 else { return }
        switch scanner.scan(received.readableBytesUInt8Span) {
        case .needsMore(let inBody):
            clock.arriving(inBody: inBody, at: .now())
            setAlarm()
            if inBody { askForBody() }
        case .refused(let refusal): refuse(refusal)
        case .complete(let length, let facts):
            guard let request = received.readSlice(length: length) else { return }
            if received.readableBytes == 0 { received = ByteBuffer() }
            scanner = RequestScanner()
            hasAskedForBody = false
            isLast = isLast || facts.isLast
            phase = .answering
            clock.arrived(at: .now())
            isDecoded = false
            context?.fireChannelRead(wrapInboundOut(request))
            if !isDecoded { refuse(.decoder) }
        }
    }

    private func askForBody() {
        guard scanner.facts.expectsContinue, !hasAskedForBody else { return }
        hasAskedForBody = true
        context?.writeAndFlush(
            wrapOutboundOut(.byteBuffer(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))), promise: nil)
    }

    /// Answers with a problem, as the last thing on this connection.
    private func refuse(_ refusal: Refusal) {
        guard let context, phase != .lingering else { return }
        metrics.refused(refusal)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { context.close(mode: .output, promise: nil) }
        beginLingering()
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(RefusalAnswer.bytes(refusal))), promise: written)
    }

    private func beginLingering() {
        phase = .lingering
        received = ByteBuffer()
        clock.lingering(at: .now())
        setAlarm()
        context?.read()
    }

    // MARK: - The gateway's part, as the watch tells it

    /// One read's worth of further requests is enough to hold while a request is answered.
    /// - Returns: whether more may be read; else it will be when there is room.
    func mayRead() -> Bool {
        holdsRead = phase == .answering && received.readableBytes > 0
        return !holdsRead
    }

    /// The decoder has found exactly one request in what it was given.
    func requestDecoded() { isDecoded = true }

    /// The decoder has found something else.
    func decodingFailed() {
        isDecoded = false
        refuse(.decoder)
    }

    func answerBegins() {
        guard phase == .answering else { return }
        clock.answering(at: .now())
        setAlarm()
    }

    /// The kernel has the whole answer.
    func answerWritten() {
        guard let context, phase == .answering else { return }
        if isLast || received.readableBytes == 0 && isCrowded() {
            beginLingering()
            context.close(mode: .output, promise: nil)
            return
        }
        phase = .reading
        clock.answered(at: .now())
        setAlarm()
        readRequests()
        if phase == .answering { context.fireChannelReadComplete() }
        if phase == .reading, inputIsClosed { endOfInput() }
        if holdsRead, mayRead() { context.read() }
    }

    // MARK: - Time

    /// A later deadline needs no new alarm: the one that is set finds out.
    private func setAlarm() {
        guard let context, alarm.map({ $0.deadline > clock.deadline }) ?? true else { return }
        alarm?.task.cancel()
        let deadline = clock.deadline
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.ring() }
        alarm = (deadline, task)
    }

    private func ring() {
        alarm = nil
        guard NIODeadline.now() >= clock.deadline else { return setAlarm() }
        switch clock.stage {
        case .head: refuse(.slowHead)
        case .body: refuse(.slowBody)
        case .write:
            metrics.refused(.unread)
            abort()
        case .idle, .answer, .linger: context?.close(promise: nil)
        }
    }

    /// What the client does not take must not stay in the kernel for minutes.
    private func abort() {
        guard let context else { return }
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete {
            [channel = context.channel] _ in channel.close(promise: nil)
        }
    }
}
