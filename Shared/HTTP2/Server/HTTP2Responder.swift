/// Decides a server's answers. All methods are called on the server's reactor thread.
public protocol HTTP2Responder: AnyObject, Sendable {
    /// Decides on a complete request. It is called while bytes are taken in, so it must neither wait nor call the
    /// server.
    func decide(on arrival: HTTP2Arrival) -> HTTP2Decision
    /// Called when a connection has opened (its handshake is done) or is gone.
    func connectionChanged(_ id: HTTP2ConnectionID, isOpen: Bool)
}

/// The time and content of a request's answer.
public enum HTTP2Decision: Sendable {
    case now(HTTP2Reply)
    case after(milliseconds: Int, HTTP2Reply)
    /// The answer is given later with `HTTP2Server.answer`.
    case later
}
