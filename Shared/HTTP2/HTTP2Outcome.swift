/// What became of a request.
public enum HTTP2Outcome: Sendable, Equatable {
    case response(HTTP2Response)
    /// Provably never processed: it never left, the peer refused its stream, or it lies above GOAWAY's last stream.
    case refused
    /// It may or may not have been processed.
    case unknown(Reason)

    public enum Reason: Sendable, Equatable {
        case deadline
        case connectionLost(String)
        case reset(HTTP2ErrorCode)
    }
}
