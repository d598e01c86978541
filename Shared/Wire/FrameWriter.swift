import FoundationEssentials
import Glibc
import Messages
import NIOCore

/// Makes frames.
enum FrameWriter {
    /// The envelope's JSON behind its length.
    static func frame<M: Message>(
        _ message: M, id: String, replyTo: String? = nil, traceparent: String? = nil
    ) throws -> ByteBuffer {
        let envelope = Envelope(
            type: M.type, id: id, sentAt: now(), traceparent: traceparent, replyTo: replyTo, payload: message)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let json = try encoder.encode(envelope)
        guard json.count <= frameBytesMax else {
            throw WireError(.tooLarge, "\(M.type) takes \(json.count) bytes; a frame holds \(frameBytesMax)")
        }
        var frame = ByteBufferAllocator().buffer(capacity: 4 + json.count)
        frame.writeInteger(UInt32(json.count))
        frame.writeBytes(json)
        return frame
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
