/// The frame of a socket between two services: one JSON object behind a 4-byte big-endian length. It has these fields
/// and a `payload`, whose type is given by `type`.
///
/// A request has an `id` and is answered by an envelope whose `replyTo` is that id; a notice is not answered.
public struct Envelope: Codable, Sendable {
    public var type: String
    public var id: String
    /// Milliseconds since 1970, for people who read logs; no decision depends on it.
    public var sentAt: Int64
    /// The W3C trace context (`traceparent`).
    public var traceparent: String?
    public var replyTo: String?

    package init(type: String, id: String, sentAt: Int64, traceparent: String? = nil, replyTo: String? = nil) {
        self.type = type
        self.id = id
        self.sentAt = sentAt
        self.traceparent = traceparent
        self.replyTo = replyTo
    }
}

/// A payload type and the `type` under which it travels.
public protocol Message: Codable, Sendable {
    static var type: String { get }
}

/// The largest frame that is written or accepted, in bytes.
public let frameBytesMax = 1_048_576
