import NIOCore
import NIOHTTP1

/// Behind the decoder: tells the guard what became of a request, and hands it on in one go. What the decoder does not
/// take as one whole request never reaches a handler.
final class AnswerWatch: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: ConnectionGuard
    private var parts: [HTTPServerRequestPart] = []

    init(_ connection: ConnectionGuard) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !connection.isDecoded else { return connection.decodingFailed() }
        parts.append(part)
        guard case .end = part else { return }
        connection.requestDecoded()
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
        parts.removeAll(keepingCapacity: true)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        parts.removeAll()
        connection.decodingFailed()
    }

    func read(context: ChannelHandlerContext) {
        if connection.mayRead() { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            connection.answerBegins()
            if connection.isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenSuccess { [connection] in connection.answerWritten() }
            context.write(data, promise: written)
        }
    }
}
