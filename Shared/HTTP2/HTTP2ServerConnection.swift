/// One accepted connection of a server. It belongs to the server's reactor thread.
final class HTTP2ServerConnection {
    let id: HTTP2ConnectionID
    let transport: HTTP2Transport<HTTP2Session>
    var isReady = false
    /// Streams whose handler is at work.
    var working: Set<Int32> = []

    init(id: HTTP2ConnectionID, transport: HTTP2Transport<HTTP2Session>) {
        self.id = id
        self.transport = transport
    }
}
