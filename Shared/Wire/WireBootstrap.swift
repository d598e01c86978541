import NIOCore
import NIOPosix

/// Settings and functions that both ends of a connection share.
enum WireBootstrap {
    /// The unread bytes at which a peer is dropped: four frames of the largest size, or thousands of ordinary ones.
    static let unsentBytesMax = 4 << 20

    static var group: MultiThreadedEventLoopGroup { .singleton }

    /// `isWritable` turns false at `unsentBytesMax`.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: unsentBytesMax / 2, high: unsentBytesMax)

    /// Sends a frame without waiting for the peer, or says that the peer is too slow.
    static func send(_ frame: ByteBuffer, to channel: any Channel) throws(WireError) {
        guard channel.isActive else { throw WireError(.closed, "the connection has ended") }
        guard channel.isWritable else {
            throw WireError(.slow, "the peer has not read \(unsentBytesMax) bytes")
        }
        channel.writeAndFlush(frame, promise: nil)
    }
}
