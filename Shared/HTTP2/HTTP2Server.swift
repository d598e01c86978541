public import Reactor

internal import Glibc

/// An HTTP/2 server over TLS on a reactor's thread, with the faults that a test of a client needs.
public actor HTTP2Server {
    /// Runs on the reactor's thread until it awaits something that lives elsewhere: work of more than a fraction of a
    /// millisecond belongs in a `@concurrent` function.
    public typealias Handler = @Sendable (HTTP2Request) async -> HTTP2Reply

    private nonisolated let reactor: Reactor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
    /// The port that it listens on.
    public nonisolated let port: Int

    private let tls: TLSContext
    private let handler: Handler
    private let bodyBytesMax: Int
    private let connectionsMax: Int
    private let onConnection: (@Sendable (HTTP2ConnectionID, Bool) async -> Void)?
    private var settings: HTTP2Session.Settings
    private var listener: Int32?
    private var connections: [HTTP2ConnectionID: HTTP2ServerConnection] = [:]
    private var nextConnection = 1
    private var pumpsScheduled: Set<HTTP2ConnectionID> = []
    private var drainWatchers: [CheckedContinuation<Void, Never>] = []

    private init(
        listener: Int32, tls: TLSContext, reactor: Reactor, settings: HTTP2Session.Settings, bodyBytesMax: Int,
        connectionsMax: Int, onConnection: (@Sendable (HTTP2ConnectionID, Bool) async -> Void)?,
        handler: @escaping Handler
    ) {
        self.listener = listener
        self.port = Sockets.port(of: listener)
        self.tls = tls
        self.reactor = reactor
        self.settings = settings
        self.bodyBytesMax = bodyBytesMax
        self.connectionsMax = connectionsMax
        self.onConnection = onConnection
        self.handler = handler
    }

    /// Listens and serves until `close`.
    /// - Parameters:
    ///   - host: an IP address or a name of this machine.
    ///   - port: 0 for any free one.
    ///   - settings: what each connection announces at its start.
    ///   - bodyBytesMax: longer bodies reach the handler cut off and marked.
    ///   - connectionsMax: what comes on top is closed at once.
    ///   - onConnection: called when a connection is there (true) and gone (false).
    public static func start(
        host: String, port: Int, tls: TLSContext, reactor: Reactor,
        settings: HTTP2Session.Settings = .init(concurrentStreamsMax: 1_000), bodyBytesMax: Int = 64 * 1024,
        connectionsMax: Int = 1_024, onConnection: (@Sendable (HTTP2ConnectionID, Bool) async -> Void)? = nil,
        handler: @escaping Handler
    ) async throws(HTTP2Error) -> HTTP2Server {
        guard tls.isServer else { throw HTTP2Error(.configuration, "a server needs a certificate and its key") }
        guard let address = try await SocketAddress.lookUp(host: host, port: port).first else {
            throw HTTP2Error(.lookup, "\(host) has no address")
        }
        let listener = try Sockets.listen(on: address)
        let server = HTTP2Server(
            listener: listener, tls: tls, reactor: reactor, settings: settings, bodyBytesMax: bodyBytesMax,
            connectionsMax: connectionsMax, onConnection: onConnection, handler: handler)
        await server.watchListener()
        return server
    }

    // MARK: - For the owner

    /// The connections that are open, oldest first.
    public var connectionIDs: [HTTP2ConnectionID] { connections.keys.sorted { $0.rawValue < $1.rawValue } }

    /// What connections announce from now on; with `toOpenOnes` those that are open are told too.
    public func setConcurrentStreamsMax(_ count: Int, toOpenOnes: Bool = true) {
        settings.concurrentStreamsMax = count
        guard toOpenOnes else { return }
        for id in connectionIDs { setConcurrentStreamsMax(count, of: id) }
    }

    /// Announces another limit on one connection.
    public func setConcurrentStreamsMax(_ count: Int, of id: HTTP2ConnectionID) {
        connections[id]?.transport.session.announce(.init(concurrentStreamsMax: count))
        schedulePump(id)
    }

    /// Sends GOAWAY: streams above `lastStreamID` (nil: above the last one seen) are dropped unanswered; the others are
    /// answered, then the connection closes.
    /// - Parameter debugData: APNs puts `{"reason": …}` here.
    public func sendGoAway(
        _ id: HTTP2ConnectionID, lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) {
        guard let connection = connections[id] else { return }
        connection.transport.session.goAway(lastStream: lastStreamID, code, debugData: debugData)
        if let lastStreamID { connection.working = connection.working.filter { $0 <= lastStreamID } }
        schedulePump(id)
    }

    /// Resets one stream of one connection.
    public func reset(_ id: HTTP2ConnectionID, stream: Int32, _ code: HTTP2ErrorCode) {
        connections[id]?.working.remove(stream)
        connections[id]?.transport.session.reset(stream: stream, code)
        schedulePump(id)
    }

    /// Closes a TCP connection without a word.
    public func disconnect(_ id: HTTP2ConnectionID) { drop(id, politely: false) }

    /// Stops listening, tells all clients to go, waits for handlers at work at most `timeout`, and closes.
    public func close(timeout: Duration = .seconds(2)) async {
        stopListening()
        for id in connectionIDs { sendGoAway(id, debugData: Array(#"{"reason":"Shutdown"}"#.utf8)) }
        reactor.schedule(after: timeout) { self.assumeIsolated { $0.dropAll() } }
        if !connections.isEmpty { await withCheckedContinuation { drainWatchers.append($0) } }
    }

    // MARK: - Accepting

    private func watchListener() {
        guard let listener else { return }
        reactor.watch(listener, for: .readable) { _ in self.assumeIsolated { $0.acceptAll() } }
    }

    private func stopListening() {
        guard let listener else { return }
        reactor.unwatch(listener)
        Glibc.close(listener)
        self.listener = nil
    }

    private func acceptAll() {
        guard let listener else { return }
        while let descriptor = Sockets.accept(listener) {
            guard connections.count < connectionsMax else {
                Glibc.close(descriptor)
                continue
            }
            Sockets.tune(descriptor)
            do throws(HTTP2Error) {
                adopt(descriptor, try TLSStream(tls, descriptor: descriptor, host: nil))
            } catch {
                Glibc.close(descriptor)
            }
        }
    }

    private func adopt(_ descriptor: Int32, _ stream: TLSStream) {
        let id = HTTP2ConnectionID(rawValue: nextConnection)
        nextConnection += 1
        let session = HTTP2Session(role: .server, settings: settings, bodyBytesMax: bodyBytesMax)
        connections[id] = HTTP2ServerConnection(
            id: id, transport: HTTP2Transport(descriptor: descriptor, tls: stream, session: session))
        reactor.watch(descriptor, for: .readable) { ready in self.assumeIsolated { $0.serve(id, ready) } }
        // A client that connects and then does not shake hands is not waited for.
        reactor.schedule(after: .seconds(10)) { [weak self] in
            self?.assumeIsolated { if $0.connections[id]?.isReady == false { $0.drop(id, politely: false) } }
        }
    }

    // MARK: - Serving

    private func serve(_ id: HTTP2ConnectionID, _ ready: Reactor.Readiness) {
        guard let connection = connections[id] else { return }
        let transport = connection.transport
        if !connection.isReady {
            switch transport.handshake() {
            case .done:
                connection.isReady = true
                tell(id, true)
            case .wantsRead:
                reactor.setInterest(transport.descriptor, .readable)
                return
            case .wantsWrite:
                reactor.setInterest(transport.descriptor, .writable)
                return
            case .closed, .failed:
                drop(id, politely: false)
                return
            }
        }
        if ready.contains(.readable) || ready.contains(.failed) {
            let goesOn: Bool
            do throws(HTTP2Error) { goesOn = try transport.read() } catch { goesOn = false }
            handleEvents(connection)
            guard goesOn else {
                // Says why, when it was the peer's bytes that were wrong.
                try? transport.flush()
                drop(id, politely: false)
                return
            }
        }
        pump(id)
    }

    private func handleEvents(_ connection: HTTP2ServerConnection) {
        for event in connection.transport.session.takeEvents() {
            switch event {
            case .message(let stream, let message): handle(connection, stream, message)
            case .closed(let stream, _): connection.working.remove(stream)
            case .goAway, .settings, .pong: break
            }
        }
    }

    private func handle(_ connection: HTTP2ServerConnection, _ stream: Int32, _ message: HTTP2Session.Message) {
        let request = HTTP2Request(
            connection: connection.id, streamID: stream, method: message.fields[":method"] ?? "",
            path: message.fields[":path"] ?? "", headers: message.fields.filter { $0.name.first != ":" },
            body: message.body, bodyIsTooLarge: message.bodyIsTooLarge)
        connection.working.insert(stream)
        let handler = self.handler
        Task {
            let reply = await handler(request)
            self.answer(request, reply)
        }
    }

    private func answer(_ request: HTTP2Request, _ reply: HTTP2Reply) {
        guard let connection = connections[request.connection], connection.working.contains(request.streamID) else {
            return
        }
        switch reply {
        case .respond(let response):
            connection.transport.session.respond(stream: request.streamID, response)
            connection.working.remove(request.streamID)
        case .reset(let code): reset(request.connection, stream: request.streamID, code)
        case .silence: connection.working.remove(request.streamID)
        case .disconnect:
            drop(request.connection, politely: false)
            return
        }
        schedulePump(request.connection)
    }

    private func schedulePump(_ id: HTTP2ConnectionID) {
        guard connections[id]?.isReady == true, pumpsScheduled.insert(id).inserted else { return }
        reactor.schedule(after: .zero) {
            self.assumeIsolated {
                $0.pumpsScheduled.remove(id)
                $0.pump(id)
            }
        }
    }

    private func pump(_ id: HTTP2ConnectionID) {
        guard let connection = connections[id], connection.isReady else { return }
        let transport = connection.transport
        do throws(HTTP2Error) {
            try transport.flush()
        } catch {
            drop(id, politely: false)
            return
        }
        handleEvents(connection)
        // After a GOAWAY the session is finished when its last stream is.
        if transport.session.isFinished {
            drop(id, politely: true)
            return
        }
        reactor.setInterest(transport.descriptor, transport.isBlocked ? [.readable, .writable] : .readable)
    }

    private func drop(_ id: HTTP2ConnectionID, politely: Bool) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        reactor.unwatch(connection.transport.descriptor)
        connection.transport.close(politely: politely)
        if connection.isReady { tell(id, false) }
        if connections.isEmpty, listener == nil {
            for watcher in drainWatchers { watcher.resume() }
            drainWatchers.removeAll()
        }
    }

    private func dropAll() {
        for id in connectionIDs { drop(id, politely: false) }
    }

    private func tell(_ id: HTTP2ConnectionID, _ isOpen: Bool) {
        guard let onConnection else { return }
        Task { await onConnection(id, isOpen) }
    }
}
