/// One accepted connection of a server.
///
/// `@unchecked Sendable`: it is touched on the server's reactor thread alone.
final class HTTP2ServerConnection: @unchecked Sendable {
    let id: HTTP2ConnectionID
    let transport: HTTP2Transport<HTTP2ServingSession>
    var session: HTTP2ServingSession { transport.session }
    var isReady = false
    var pumpIsScheduled = false

    init(id: HTTP2ConnectionID, transport: HTTP2Transport<HTTP2ServingSession>) {
        self.id = id
        self.transport = transport
    }
}
