import FoundationEssentials
import Glibc
public import Messages
import NIOCore

/// A message as bytes: encoded once, for any number of receivers and repetitions.
public struct EncodedMessage: Sendable {
    let type: String
    private let payload: Data

    /// The bytes of the JSON payload, without the envelope.
    public var byteCount: Int { payload.count }

    public init<M: Message>(_ message: M) throws {
        type = M.type
        payload = try Self.json(message)
    }

    /// Makes the frame: the envelope's JSON behind its length.
    func frame(id: String, replyTo: String? = nil, traceparent: String? = nil) throws -> ByteBuffer {
        let head = try Self.json(
            Envelope(type: type, id: id, sentAt: Self.now(), traceparent: traceparent, replyTo: replyTo))
        var frame = ByteBuffer()
        frame.reserveCapacity(head.count + payload.count + 16)
        try frame.writeLengthPrefixed(as: UInt32.self) { frame in
            // The payload becomes one more field of the head's JSON object.
            let count =
                frame.writeBytes(head.dropLast()) + frame.writeString(#","payload":"#) + frame.writeBytes(payload)
                + frame.writeString("}")
            guard count <= frameBytesMax else {
                throw WireError(.tooLarge, "\(type) takes \(count) bytes; a frame holds \(frameBytesMax)")
            }
            return count
        }
        return frame
    }

    private static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
