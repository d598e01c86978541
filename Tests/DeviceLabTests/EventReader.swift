import NIOCore
import NIOPosix

@testable import DeviceLab

/// A browser's side of a stream.
final class EventReader {
    struct Event: Sendable {
        var name: String
        var data: String
    }

    struct Ended: Error {}

    private(set) var head = ""
    private var bytes: [UInt8] = []
    private let parts: AsyncStream<ByteBuffer>
    private let channel: any Channel

    private init(_ channel: any Channel, _ parts: AsyncStream<ByteBuffer>) {
        self.channel = channel
        self.parts = parts
    }

    /// - Parameter isSlow: it asks and never reads.
    static func with(
        _ lab: RunningLab, _ path: String, isSlow: Bool = false, _ body: (EventReader) async throws -> Void
    ) async throws {
        let reader = try await open(lab, path, isSlow: isSlow)
        do {
            try await body(reader)
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
    }

    static func open(_ lab: RunningLab, _ path: String, isSlow: Bool = false) async throws -> EventReader {
        let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: isSlow ? 4_096 : 1 << 20)
            .channelOption(.autoRead, value: !isSlow)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Feeder(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: lab.port).get()
        let request = "GET \(path) HTTP/1.1\r\nhost: 127.0.0.1:\(lab.port)\r\naccept: text/event-stream\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request)).get()
        return EventReader(channel, parts)
    }

    private func close() async { try? await channel.close().get() }

    /// The next event of that name; others before it are passed over.
    func next(_ name: String) async throws -> Event {
        while true {
            while let event = take() { if event.name == name { return event } }
            var more = parts.makeAsyncIterator()
            guard let part = await more.next() else { throw Ended() }
            bytes += part.readableBytesView.filter { $0 != UInt8(ascii: "\r") }
            if head.isEmpty, let end = bytes.firstRange(of: Array("\n\n".utf8)) {
                head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
                bytes.removeSubrange(..<end.upperBound)
            }
        }
    }

    /// The body comes in chunks with their sizes in lines of their own; no event is in two of them.
    private func take() -> Event? {
        guard let start = bytes.firstRange(of: Array("event: ".utf8)),
            let nameEnd = bytes[start.upperBound...].firstIndex(of: UInt8(ascii: "\n")),
            let data = bytes[nameEnd...].firstRange(of: Array("\ndata: ".utf8)),
            let dataEnd = bytes[data.upperBound...].firstRange(of: Array("\n\n".utf8))
        else { return nil }
        let event = Event(
            name: String(decoding: bytes[start.upperBound..<nameEnd], as: UTF8.self),
            data: String(decoding: bytes[data.upperBound..<dataEnd.lowerBound], as: UTF8.self))
        bytes.removeSubrange(..<dataEnd.upperBound)
        return event
    }

    private final class Feeder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let parts: AsyncStream<ByteBuffer>.Continuation

        init(_ parts: AsyncStream<ByteBuffer>.Continuation) { self.parts = parts }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { parts.yield(unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { parts.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
