/// What a server does about a request: answers, or misbehaves on purpose.
public enum HTTP2Reply: Sendable {
    case respond(HTTP2Response)
    case reset(HTTP2ErrorCode)
    /// Nothing, ever.
    case silence
    /// Closes the TCP connection, with all its streams.
    case disconnect
}
