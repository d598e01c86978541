/// The server's reaction to a request: a response, or a deliberate fault.
public enum HTTP2Reply: Sendable {
    case respond(HTTP2Response)
    /// A response from an answer that was made before.
    case answer(HTTP2Answer, HTTP2Answer.Values)
    case reset(HTTP2ErrorCode)
    /// No answer, ever.
    case silence
    /// Closes the TCP connection, with all its streams.
    case disconnect
}
