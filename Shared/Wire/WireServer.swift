public import Logging
public import Messages
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// Listens on `RUN_DIR/<service>/<instance>.sock` for processes of the same user.
///
/// A malformed frame closes its connection; each is counted, and at most one a second is logged as a warning. A message
/// of a type without a handler is answered as a failure, which a request hears and a notice does not: its sender may be
/// newer than we are, and its other messages are good. Notices of a connection are handled one after the other,
/// requests concurrently. A peer that does not read its answers is dropped.
public final class WireServer: Service, Sendable {
    /// The most connections: enough for all services of a host, with room to spare.
    public static let connectionsMax = 128
    /// The most running requests per connection; at that number we stop reading from it until one is answered.
    public static let requestsRunningMax = 64
    /// The most unknown types that are named in the log, each once.
    private static let unknownTypesMax = 16

    private struct Route: Sendable {
        var payload: any Message.Type
        var isRequest: Bool
        /// Handles a message and returns the frame to answer with; nil for a notice.
        var handle: @Sendable (_ message: any Message, _ context: WireContext) async throws -> ByteBuffer?
    }

    private struct State {
        var routes: [String: Route] = [:]
        var unknownTypes: Set<String> = []
        /// Open connections, including those that are accepted and not served yet, which are closed with the others at
        /// the end.
        var channels: [ObjectIdentifier: any Channel] = [:]
        var lastConnection = 0
        var onConnect: (@Sendable (_ connection: Int) async -> Void)?
    }

    public let path: String
    private let logger: Logger
    private let frameDeadline: Duration
    private let metrics: WireMetrics
    private let state = NIOLockedValueBox(State())

    /// - Parameter frameDeadline: how long a frame may take from its first byte to its last.
    public init(path: String, logger: Logger, frameDeadline: Duration = .seconds(10)) {
        self.path = path
        self.logger = logger
        self.frameDeadline = frameDeadline
        metrics = WireMetrics(folder: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), .server)
    }

    /// Registers the handler of a notice, which is not answered.
    public func on<M: Message>(_ type: M.Type, _ handler: @escaping @Sendable (M, WireContext) async -> Void) {
        add(M.self, isRequest: false) { message, context in
            guard let message = message as? M else { return nil }
            await handler(message, context)
            return nil
        }
    }

    /// Registers the handler of a request. An error that it throws is logged, and answered as a failure with its
    /// description.
    public func answer<M: Message, R: Message>(
        _ type: M.Type, _ handler: @escaping @Sendable (M, WireContext) async throws -> R
    ) {
        add(M.self, isRequest: true) { message, context in
            guard let message = message as? M else { return nil }
            let answer = try await handler(message, context)
            return try EncodedMessage(answer).frame(
                id: FrameIDs.next(), replyTo: context.id, traceparent: context.traceparent)
        }
    }

    /// Sets the handler to call for each new connection. What the peer sent while it was not connected is not repeated,
    /// so the receiver reads again.
    public func onConnect(_ handler: @escaping @Sendable (_ connection: Int) async -> Void) {
        state.withLockedValue { $0.onConnect = handler }
    }

    /// Serves until cancelled or asked to stop gracefully. Then the socket file is removed first, and requests that
    /// have begun are answered.
    /// - Throws: `WireError.socket` when the path is too long, its folder belongs to another user, or its owner is
    ///   alive.
    public func run() async throws {
        SocketFile.sweep(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        let file = try SocketFile.listen(at: path)
        let listener: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, Never>, Never>
        do {
            listener = try await ServerBootstrap(group: WireBootstrap.group)
                .childChannelOption(.writeBufferWaterMark, value: WireBootstrap.waterMark)
                .bind(file.descriptor) { [state, frameDeadline, metrics] channel in
                    state.withLockedValue { $0.channels[ObjectIdentifier(channel)] = channel }
                    metrics.opened()
                    channel.closeFuture.whenComplete { _ in
                        state.withLockedValue { $0.channels[ObjectIdentifier(channel)] = nil }
                        metrics.closed()
                    }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            FrameReader(deadline: TimeAmount(frameDeadline)))
                        return try NIOAsyncChannel(
                            wrappingChannelSynchronously: channel,
                            configuration: .init(
                                backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8),
                                inboundType: ByteBuffer.self, outboundType: Never.self))
                    }
                }
        } catch {
            file.remove()
            throw error
        }
        logger.debug("Listening", metadata: ["wire.path": "\(path)"])
        do {
            try await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in connections.cancelOnGracefulShutdown() {
                        group.addTask { await self.serve(connection) }
                    }
                    file.hide()
                }
            }
        } catch {
            end(file)
            if error is CancellationError { return }
            throw error
        }
        end(file)
    }

    private func end(_ file: SocketFile) {
        file.remove()
        for channel in state.withLockedValue({ $0.channels }).values { channel.close(promise: nil) }
    }

    private func add(
        _ type: any Message.Type, isRequest: Bool,
        _ handle: @escaping @Sendable (any Message, WireContext) async throws -> ByteBuffer?
    ) {
        state.withLockedValue { state in
            precondition(state.routes[type.type] == nil, "\(type.type) has two handlers")
            state.routes[type.type] = Route(payload: type, isRequest: isRequest, handle: handle)
        }
    }

    /// Serves one connection until it ends, and logs why when it did not end by itself.
    private func serve(_ channel: NIOAsyncChannel<ByteBuffer, Never>) async {
        let (number, count) = state.withLockedValue { state in
            state.lastConnection += 1
            return (state.lastConnection, state.channels.count)
        }
        do {
            try await channel.executeThenClose { frames in
                guard count <= Self.connectionsMax else {
                    throw WireError(.socket, "more than \(Self.connectionsMax) connections")
                }
                try await PeerUser.check(channel.channel).get()
                await state.withLockedValue { $0.onConnect }?(number)
                try await self.answer(frames, of: channel.channel, number)
            }
        } catch let error as WireError {
            guard let unsaid = metrics.brokenConnection() else { return }
            logger.warning(
                "A connection is closed",
                metadata: ["wire.connection": "\(number)", "reason": "\(error)", "wire.unsaid": "\(unsaid)"])
        } catch {
            // The peer went away during an exchange, or we are stopping.
            logger.debug(
                "A connection ended", metadata: ["wire.connection": "\(number)", "reason": "\(ErrorText.of(error))"])
        }
    }

    private func answer(
        _ frames: NIOAsyncChannelInboundStream<ByteBuffer>, of channel: any Channel, _ number: Int
    ) async throws {
        let routes = state.withLockedValue { $0.routes }
        let lookup: IncomingEnvelope.Lookup = { type, replyTo in
            guard replyTo == nil else { throw WireError(.malformed, "an answer that nobody asked for") }
            return routes[type]?.payload
        }
        try await withThrowingTaskGroup(of: Void.self) { running in
            var count = 0
            for try await frame in frames.cancelOnGracefulShutdown() {
                let envelope = try IncomingEnvelope.read(frame, lookup: lookup)
                let head = envelope.head
                guard let route = routes[head.type], let message = envelope.payload else {
                    try refuse(head, channel)
                    continue
                }
                let context = WireContext(
                    id: head.id, sentAt: head.sentAt, traceparent: head.traceparent, connection: number)
                guard route.isRequest else {
                    _ = try await route.handle(message, context)
                    continue
                }
                if count == Self.requestsRunningMax {
                    try await running.next()
                    count -= 1
                }
                count += 1
                running.addTask { try await self.reply(head.type, route, message, context, channel) }
            }
            try await running.waitForAll()
        }
    }

    private func refuse(_ envelope: Envelope, _ channel: any Channel) throws {
        let type = String(envelope.type.prefix(40))
        let isNew = state.withLockedValue { state in
            state.unknownTypes.count < Self.unknownTypesMax && state.unknownTypes.insert(type).inserted
        }
        if isNew { logger.warning("A message of an unknown type is refused", metadata: ["wire.type": "\(type)"]) }
        do {
            try fail(envelope.id, "unknown type \"\(type)\"", channel)
        } catch let error as WireError where error.code == .slow {
            metrics.droppedFrame()
            throw error
        }
    }

    private func reply(
        _ type: String, _ route: Route, _ message: any Message, _ context: WireContext, _ channel: any Channel
    ) async throws {
        do {
            if let frame = try await route.handle(message, context) { try WireBootstrap.send(frame, to: channel) }
        } catch let error as WireError where error.code == .slow {
            metrics.droppedFrame()
            // The loop that reads this connection may be waiting for the next frame; closing the channel wakes it.
            channel.close(promise: nil)
            throw error
        } catch let error as WireError where error.code == .closed {
            return
        } catch {
            logger.warning("A request failed", metadata: ["wire.type": "\(type)", "error": "\(error)"])
            try? fail(context.id, "\(error)", channel)
        }
    }

    private func fail(_ id: String, _ reason: String, _ channel: any Channel) throws {
        let failure = WireFailure(reason: String(reason.prefix(500)))
        try WireBootstrap.send(EncodedMessage(failure).frame(id: FrameIDs.next(), replyTo: id), to: channel)
    }
}
