import Glibc
import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

/// HTTP/1.1 for probes and scrapes: few connections, each for a short time, so that a health port costs its service no
/// more than that, whatever reaches it.
struct HealthChannel: ServerChildChannel {
    /// The bounds of a health port. Beyond a number of connections a newcomer takes the place of one that asks nothing.
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
        /// The time until a request's head is here, from the opening of the connection or from the last answer.
        var head = TimeAmount.seconds(2)
    }

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

    private let http1: HTTP1Channel
    private let bounds: Bounds
    private let connections: NIOLockedValueBox<HealthConnections>

    init(responder: @escaping HTTPChannelHandler.Responder, bounds: Bounds) {
        http1 = HTTP1Channel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8_192, maxHeaderListSize: 8_192, maxHeaderFieldCount: 64)))
        self.bounds = bounds
        connections = NIOLockedValueBox(HealthConnections(bounds))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let client = Client(channel.remoteAddress)
        connections.withLockedValue { $0.open(channel, of: client) }?.close(promise: nil)
        let end = channel.eventLoop.scheduleTask(in: bounds.life) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [connections] _ in
            end.cancel()
            connections.withLockedValue { $0.close(channel) }
        }
        return http1.setup(channel: channel, logger: logger).flatMapThrowing { [bounds, connections] http in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
            if let decoder = decoder as? any ChannelHandler & RemovableChannelHandler {
                let watch = RequestWatch(head: bounds.head) { isAsking in
                    connections.withLockedValue { $0.note(channel, isAsking: isAsking) }
                }
                try pipeline.addHandlers([watch, HostOfOldProbes()], position: .after(decoder))
            }
            try pipeline.addHandler(ReceivedBytes(max: bounds.bytesMax), position: .first)
            return http
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http1.handle(value: value, logger: logger) }
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

/// Says whether a complete request waits for its answer, and closes a connection that takes too long to send a head: from
/// its opening, and again from each answer.
private final class RequestWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let head: TimeAmount
    private let note: (_ isAsking: Bool) -> Void
    /// Complete requests less answers; negative when an answer came before the end of its request.
    private var unanswered = 0 { didSet { if (unanswered > 0) != (oldValue > 0) { note(unanswered > 0) } } }
    private var alarm: Scheduled<Void>?

    init(head: TimeAmount, note: @escaping (_ isAsking: Bool) -> Void) {
        self.head = head
        self.note = note
    }

    func handlerAdded(context: ChannelHandlerContext) { begin(context) }
    func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: alarm?.cancel()
        case .body: break
        case .end: unanswered += 1
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [self] in
            unanswered -= 1
            if unanswered <= 0 { begin(context) }
        }
        context.write(data, promise: written)
    }

    private func begin(_ context: ChannelHandlerContext) {
        alarm?.cancel()
        alarm = context.eventLoop.assumeIsolated().scheduleTask(in: head) { context.close(promise: nil) }
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
