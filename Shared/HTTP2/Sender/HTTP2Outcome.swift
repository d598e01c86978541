/// The outcome of a request.
public enum HTTP2Outcome: Sendable, Equatable {
    case response(HTTP2Response)
    /// The request was provably never processed: it never left, the peer refused its stream, or its stream lies above
    /// GOAWAY's last one.
    case refused
    /// The request may or may not have been processed.
    case unknown(Reason)

    public enum Reason: Sendable, Equatable {
        case deadline
        case connectionLost(String)
        case reset(HTTP2ErrorCode)
    }
}
