/// What a server does about a request: answers, or misbehaves on purpose.
public enum HTTP2Reply: Sendable {
    case respond(HTTP2Response)
    /// The same with an answer that was made before.
    case answer(HTTP2Answer, HTTP2Answer.Values)
    case reset(HTTP2ErrorCode)
    /// Nothing, ever.
    case silence
    /// Closes the TCP connection, with all its streams.
    case disconnect
}
