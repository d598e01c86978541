import Messages
import NIOCore

/// Cuts a stream of bytes into frames: a 4-byte big-endian length and that many bytes. The length is checked before any
/// memory is used for it. A frame that begins must be complete within a deadline, as long as we are reading.
///
/// After an error nothing more is read from that connection, because the next frame's beginning cannot be found.
final class FrameReader: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    static let frameDeadline = TimeAmount.seconds(10)

    private let deadline: TimeAmount
    private var kept: ByteBuffer?
    private var isBroken = false
    /// Whether the next handler has asked for more. A frame does not age while we do not read.
    private var isReading = false
    private var timer: Scheduled<Void>?

    init(deadline: TimeAmount = FrameReader.frameDeadline) { self.deadline = deadline }

    func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBroken else { return }
        var bytes = unwrapInboundIn(data)
        if var before = kept {
            before.writeBuffer(&bytes)
            kept = nil
            bytes = before
        }
        do {
            while let frame = try Self.nextFrame(&bytes) {
                stopTimer()
                context.fireChannelRead(wrapInboundOut(frame))
            }
            if bytes.readableBytes > 0 {
                bytes.discardReadBytes()
                kept = bytes
                startTimer(context)
            }
        } catch {
            fail(context, error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        kept = nil
        context.fireChannelInactive()
    }

    /// Takes the next frame out of the bytes.
    /// - Returns: the frame without its length; nil when it is not complete yet.
    /// - Throws: `WireError.malformed` when the length is 0 or more than `frameBytesMax`.
    static func nextFrame(_ bytes: inout ByteBuffer) throws(WireError) -> ByteBuffer? {
        guard let length = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self) else { return nil }
        guard length > 0, length <= frameBytesMax else {
            throw WireError(.malformed, "a frame of \(length) bytes; 1 to \(frameBytesMax) are allowed")
        }
        guard bytes.readableBytes >= 4 + Int(length) else { return nil }
        bytes.moveReaderIndex(forwardBy: 4)
        return bytes.readSlice(length: Int(length))
    }

    private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
        isBroken = true
        stopTimer()
        // The next handler logs the reason and closes.
        context.fireErrorCaught(error)
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: deadline) {
            let (handler, context) = bound.value
            handler.timer = nil
            guard handler.kept != nil, !handler.isBroken else { return }
            if handler.isReading {
                handler.fail(context, WireError(.malformed, "a frame that began was not whole in time"))
            } else {
                handler.startTimer(context)
            }
        }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}
