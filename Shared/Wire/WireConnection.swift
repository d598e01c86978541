import Logging
import Messages
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// The calling end of one connection. A closed connection is not opened again.
final class WireConnection: Sendable {
    private struct Waiting {
        var expected: any Message.Type
        var resume: @Sendable (Result<any Message, any Error>) -> Void
    }

    private struct State {
        var isClosed = false
        var lastID = 0
        var waiting: [String: Waiting] = [:]
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The most unanswered requests on one connection; more are refused at once.
    static let requestsWaitingMax = 256

    let path: String
    private let logger: Logger
    private let channel: any Channel
    private let metrics: WireMetrics?
    private let state: NIOLockedValueBox<State>

    /// Connects to a server.
    /// - Throws: `WireError.unavailable` when no process listens, `.foreignUser` when a process of another user does.
    static func connect(
        to path: String, timeout: Duration = .seconds(2), logger: Logger, metrics: WireMetrics? = nil
    ) async throws -> WireConnection {
        let state = NIOLockedValueBox(State())
        let bootstrap = ClientBootstrap(group: WireBootstrap.group)
            .connectTimeout(TimeAmount(timeout))
            .channelOption(.writeBufferWaterMark, value: WireBootstrap.waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        FrameReader(), ReplyHandler(path: path, state: state, logger: logger, metrics: metrics))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(unixDomainSocketPath: path).get()
        } catch {
            throw WireError(.unavailable, "\(path): \(ErrorText.of(error))")
        }
        do {
            try await PeerUser.check(channel).get()
        } catch {
            channel.close(promise: nil)
            throw error
        }
        return WireConnection(path: path, logger: logger, channel: channel, metrics: metrics, state: state)
    }

    private init(
        path: String, logger: Logger, channel: any Channel, metrics: WireMetrics?, state: NIOLockedValueBox<State>
    ) {
        self.path = path
        self.logger = logger
        self.channel = channel
        self.metrics = metrics
        self.state = state
    }

    var isOpen: Bool { state.withLockedValue { !$0.isClosed } }

    func close() { channel.close(promise: nil) }

    /// Waits until the connection has ended.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLockedValue { state in
                if !state.isClosed { state.closeWaiters.append(continuation) }
                return state.isClosed
            }
            if isOver { continuation.resume() }
        }
    }

    /// Sends a frame without waiting for the peer; a peer that is too slow is dropped.
    func send(_ frame: ByteBuffer) throws(WireError) {
        do {
            try WireBootstrap.send(frame, to: channel)
        } catch {
            if error.code == .slow { metrics?.droppedFrame() }
            if error.code == .slow, state.withLockedValue({ !$0.isClosed }) {
                logger.warning("A slow peer is dropped", metadata: ["wire.path": "\(path)"])
                close()
            }
            throw error
        }
    }

    func request<R: Message>(
        _ message: EncodedMessage, expecting: R.Type, timeout: Duration, traceparent: String?
    ) async throws -> R {
        let id = state.withLockedValue { state in
            state.lastID += 1
            return "\(state.lastID)"
        }
        let frame = try message.frame(id: id, traceparent: traceparent)
        let answer: any Message = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(id, R.self) { continuation.resume(with: $0) }
                channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
                    Self.finish(
                        id,
                        .failure(WireError(.timeout, "no answer to \(message.type) from \(self.path) in \(timeout)")),
                        self.state)
                }
                do { try send(frame) } catch { Self.finish(id, .failure(error), state) }
                if Task.isCancelled { Self.finish(id, .failure(CancellationError()), state) }
            }
        } onCancel: {
            Self.finish(id, .failure(CancellationError()), state)
        }
        if let failure = answer as? WireFailure { throw WireError(.refused, failure.reason) }
        guard let expected = answer as? R else {
            throw WireError(.malformed, "an answer of another type than \(R.type)")
        }
        return expected
    }

    private func enter(
        _ id: String, _ expected: any Message.Type,
        _ resume: @escaping @Sendable (Result<any Message, any Error>) -> Void
    ) {
        let refusal: WireError? = state.withLockedValue { state in
            if state.isClosed { return WireError(.closed, "the connection to \(path) has ended") }
            if state.waiting.count >= Self.requestsWaitingMax {
                return WireError(.slow, "\(Self.requestsWaitingMax) requests to \(path) are waiting")
            }
            state.waiting[id] = Waiting(expected: expected, resume: resume)
            return nil
        }
        if let refusal { resume(.failure(refusal)) }
    }

    /// Finishes a request. Only the first call for an id has an effect.
    private static func finish(
        _ id: String, _ result: Result<any Message, any Error>, _ state: NIOLockedValueBox<State>
    ) {
        state.withLockedValue { $0.waiting.removeValue(forKey: id) }?.resume(result)
    }

    /// Reads answers and resumes the requests that wait for them.
    private final class ReplyHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let path: String
        private let state: NIOLockedValueBox<State>
        private let logger: Logger
        private let metrics: WireMetrics?

        init(path: String, state: NIOLockedValueBox<State>, logger: Logger, metrics: WireMetrics?) {
            self.path = path
            self.state = state
            self.logger = logger
            self.metrics = metrics
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            do {
                let state = state
                let answer = try IncomingEnvelope.read(unwrapInboundIn(data)) { type, replyTo in
                    guard let replyTo else { throw WireError(.malformed, "\(type.prefix(40)) is not an answer") }
                    // An answer without a waiting request came too late and is not read.
                    guard let waiting = state.withLockedValue({ $0.waiting[replyTo] }) else { return nil }
                    if type == WireFailure.type { return WireFailure.self }
                    guard type == waiting.expected.type else {
                        throw WireError(.malformed, "\(type.prefix(40)) where \(waiting.expected.type) was expected")
                    }
                    return waiting.expected
                }
                if let id = answer.head.replyTo, let payload = answer.payload { finish(id, .success(payload), state) }
            } catch {
                errorCaught(context: context, error: error)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // An error other than a malformed frame means that the peer went away.
            let isBroken = error is WireError
            if let unsaid = isBroken && metrics != nil ? metrics?.brokenConnection() : 0 {
                logger.log(
                    level: isBroken ? .warning : .debug, "A connection is closed",
                    metadata: [
                        "wire.path": "\(path)", "reason": "\(ErrorText.of(error))", "wire.unsaid": "\(unsaid)",
                    ])
            }
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            let (waiting, closeWaiters) = state.withLockedValue { state in
                state.isClosed = true
                defer {
                    state.waiting = [:]
                    state.closeWaiters = []
                }
                return (state.waiting.values.map(\.resume), state.closeWaiters)
            }
            for resume in waiting { resume(.failure(WireError(.closed, "the connection to \(path) has ended"))) }
            for waiter in closeWaiters { waiter.resume() }
            context.fireChannelInactive()
        }
    }
}
