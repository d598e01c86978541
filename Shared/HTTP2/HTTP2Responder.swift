/// Says what a server answers. All of it is called on the server's reactor thread.
public protocol HTTP2Responder: AnyObject, Sendable {
    /// A request is complete. Called while bytes are taken in: it must not wait, nor call the server.
    func decide(on arrival: HTTP2Arrival) -> HTTP2Decision
    /// A connection is there (its handshake is done) or gone.
    func connectionChanged(_ id: HTTP2ConnectionID, isOpen: Bool)
}

/// When a request is answered, and how.
public enum HTTP2Decision: Sendable {
    case now(HTTP2Reply)
    case after(milliseconds: Int, HTTP2Reply)
    /// `HTTP2Server.answer` will be called.
    case later
}
