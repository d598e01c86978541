package import Reactor

internal import Glibc

/// An HTTP/2 server over TLS on a reactor's thread, with the faults that a test of a client needs.
public actor HTTP2Server {
    /// Answers a request. It runs on the reactor's thread until it awaits something that lives elsewhere; work of more
    /// than a fraction of a millisecond belongs in a `@concurrent` function.
    public typealias Handler = @Sendable (HTTP2Request) async -> HTTP2Reply

    private nonisolated let reactor: Reactor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
    /// The port that the server listens on.
    public nonisolated let port: Int

    private let tls: TLSContext
    private var responder: (any HTTP2Responder)?
    private let bodyBytesMax: Int
    private let connectionsMax: Int
    private var settings: HTTP2Settings
    private var listener: Int32?
    private var connections: [HTTP2ConnectionID: HTTP2ServerConnection] = [:]
    private var nextConnection = 1
    /// Answers that are delayed on purpose.
    private var delayed = HTTP2DelayWheel<DelayedReply>(now: HTTP2Server.milliseconds)
    private var delayedTimer: Reactor.TimerID?
    private var drainWatchers: [CheckedContinuation<Void, Never>] = []

    private struct DelayedReply {
        var connection: HTTP2ServerConnection
        var stream: Int32
        var reply: HTTP2Reply
    }

    private init(
        listener: Int32, tls: TLSContext, reactor: Reactor, settings: HTTP2Settings, bodyBytesMax: Int,
        connectionsMax: Int
    ) {
        self.listener = listener
        self.port = Sockets.port(of: listener)
        self.tls = tls
        self.reactor = reactor
        self.settings = settings
        self.bodyBytesMax = bodyBytesMax
        self.connectionsMax = connectionsMax
    }

    /// Listens and serves until `close`.
    /// - Parameters:
    ///   - host: an IP address or a name of this machine.
    ///   - port: the port; 0 for any free one.
    ///   - settings: the settings that each connection announces at its start.
    ///   - bodyBytesMax: the longest body that is kept; longer ones are cut off and marked.
    ///   - connectionsMax: the most connections; further ones are closed at once.
    ///   - responder: decides on each request.
    package static func start(
        host: String, port: Int, tls: TLSContext, reactor: Reactor,
        settings: HTTP2Settings = .init(concurrentStreamsMax: 1_000), bodyBytesMax: Int = 64 * 1024,
        connectionsMax: Int = 1_024, responder: any HTTP2Responder
    ) async throws(HTTP2Error) -> HTTP2Server {
        let server = try await make(host, port, tls, reactor, settings, bodyBytesMax, connectionsMax)
        await server.serve(responder)
        return server
    }

    /// Listens and serves until `close`, with a function that may wait before it answers.
    package static func start(
        host: String, port: Int, tls: TLSContext, reactor: Reactor,
        settings: HTTP2Settings = .init(concurrentStreamsMax: 1_000), bodyBytesMax: Int = 64 * 1024,
        connectionsMax: Int = 1_024, handler: @escaping Handler
    ) async throws(HTTP2Error) -> HTTP2Server {
        let server = try await make(host, port, tls, reactor, settings, bodyBytesMax, connectionsMax)
        await server.serve(
            HTTP2TaskResponder(handler) { [weak server] request, reply in
                await server?.answer(request.connection, stream: request.streamID, reply)
            })
        return server
    }

    private static func make(
        _ host: String, _ port: Int, _ tls: TLSContext, _ reactor: Reactor, _ settings: HTTP2Settings,
        _ bodyBytesMax: Int, _ connectionsMax: Int
    ) async throws(HTTP2Error) -> HTTP2Server {
        guard tls.isServer else { throw HTTP2Error(.configuration, "a server needs a certificate and its key") }
        guard let address = try await SocketAddress.lookUp(host: host, port: port).first else {
            throw HTTP2Error(.lookup, "\(host) has no address")
        }
        return HTTP2Server(
            listener: try Sockets.listen(on: address), tls: tls, reactor: reactor, settings: settings,
            bodyBytesMax: bodyBytesMax, connectionsMax: connectionsMax)
    }

    // MARK: - For the owner

    /// The connections that are open, oldest first.
    public var connectionIDs: [HTTP2ConnectionID] { connections.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Sets the limit on concurrent streams that connections announce from now on; with `toOpenOnes` open connections
    /// announce it, too.
    public func setConcurrentStreamsMax(_ count: Int, toOpenOnes: Bool = true) {
        settings.concurrentStreamsMax = count
        guard toOpenOnes else { return }
        for id in connectionIDs { setConcurrentStreamsMax(count, of: id) }
    }

    /// Announces another limit on concurrent streams on one connection.
    public func setConcurrentStreamsMax(_ count: Int, of id: HTTP2ConnectionID) {
        connections[id]?.session.announce(.init(concurrentStreamsMax: count))
        schedulePump(id)
    }

    /// Sends GOAWAY: streams above `lastStreamID` (nil: above the last one seen) are dropped unanswered; the others are
    /// answered, then the connection closes.
    /// - Parameter debugData: the frame's debug data, in which APNs gives a `{"reason": …}`.
    public func sendGoAway(
        _ id: HTTP2ConnectionID, lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) {
        guard let connection = connections[id] else { return }
        connection.session.goAway(lastStream: lastStreamID, code, debugData: debugData)
        schedulePump(id)
    }

    /// Resets one stream of one connection.
    public func reset(_ id: HTTP2ConnectionID, stream: Int32, _ code: HTTP2ErrorCode) {
        connections[id]?.session.reset(stream: stream, code)
        schedulePump(id)
    }

    /// Closes a TCP connection without a GOAWAY.
    public func disconnect(_ id: HTTP2ConnectionID) { drop(id, politely: false) }

    /// Stops listening, sends GOAWAY to all clients, waits at most `timeout` for handlers at work, and closes.
    public func close(timeout: Duration = .seconds(2)) async {
        stopListening()
        for id in connectionIDs { sendGoAway(id, debugData: Array(#"{"reason":"Shutdown"}"#.utf8)) }
        reactor.schedule(after: timeout) { self.assumeIsolated { $0.dropAll() } }
        if !connections.isEmpty { await withCheckedContinuation { drainWatchers.append($0) } }
    }

    // MARK: - Accepting

    private func serve(_ responder: any HTTP2Responder) {
        self.responder = responder
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
        let session = HTTP2ServingSession(id: id, settings: settings, bodyBytesMax: bodyBytesMax)
        let connection = HTTP2ServerConnection(
            id: id, transport: HTTP2Transport(descriptor: descriptor, tls: stream, session: session))
        connections[id] = connection
        if let responder {
            session.onRequest = { [unowned self, unowned connection] arrival in
                switch responder.decide(on: arrival) {
                case .now(let reply): connection.session.answer(stream: arrival.streamID, reply)
                case .after(let milliseconds, let reply):
                    let delayed = DelayedReply(connection: connection, stream: arrival.streamID, reply: reply)
                    self.assumeIsolated { $0.delay(delayed, milliseconds: milliseconds) }
                case .later: break
                }
            }
        }
        reactor.watch(descriptor, for: .readable) { ready in self.assumeIsolated { $0.serve(id, ready) } }
        // A client that does not complete its handshake within 10 s is dropped.
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
                responder?.connectionChanged(id, isOpen: true)
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
            let isOpen: Bool
            do throws(HTTP2Error) { isOpen = try transport.read() } catch { isOpen = false }
            guard isOpen else {
                // The session may have a GOAWAY to send that says what was wrong with the peer's bytes.
                try? transport.flush()
                drop(id, politely: false)
                return
            }
        }
        pump(id)
    }

    /// Answers a request for which the responder decided `later`; nothing happens when the request is gone.
    public func answer(_ id: HTTP2ConnectionID, stream: Int32, _ reply: HTTP2Reply) {
        connections[id]?.session.answer(stream: stream, reply)
        schedulePump(id)
    }

    private func delay(_ reply: DelayedReply, milliseconds: Int) {
        // The present millisecond is partly over, so one is added.
        delayed.add(reply, due: Self.milliseconds + Int64(milliseconds) + 1)
        scheduleDelayed()
    }

    /// Checks the delayed answers about once a millisecond, while there are any.
    private func scheduleDelayed() {
        guard delayedTimer == nil, delayed.count > 0 else { return }
        delayedTimer = reactor.schedule(after: .milliseconds(1)) { self.assumeIsolated { $0.answerDelayed() } }
    }

    private func answerDelayed() {
        delayedTimer = nil
        var touched: [HTTP2ConnectionID: HTTP2ServerConnection] = [:]
        for due in delayed.take(now: Self.milliseconds) where connections[due.connection.id] != nil {
            due.connection.session.answer(stream: due.stream, due.reply)
            touched[due.connection.id] = due.connection
        }
        for id in touched.keys { pump(id) }
        scheduleDelayed()
    }

    /// The monotonic clock in milliseconds.
    private static var milliseconds: Int64 { MonotonicTime.now / 1_000_000 }

    private func schedulePump(_ id: HTTP2ConnectionID) {
        guard let connection = connections[id], connection.isReady, !connection.pumpIsScheduled else { return }
        connection.pumpIsScheduled = true
        reactor.schedule(after: .zero) {
            self.assumeIsolated {
                connection.pumpIsScheduled = false
                $0.pump(id)
            }
        }
    }

    private func pump(_ id: HTTP2ConnectionID) {
        guard let connection = connections[id], connection.isReady else { return }
        if connection.session.isDisconnected {
            drop(id, politely: false)
            return
        }
        let transport = connection.transport
        do throws(HTTP2Error) {
            try transport.flush()
        } catch {
            drop(id, politely: false)
            return
        }
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
        if connection.isReady { responder?.connectionChanged(id, isOpen: false) }
        if connections.isEmpty, listener == nil {
            for watcher in drainWatchers { watcher.resume() }
            drainWatchers.removeAll()
        }
    }

    private func dropAll() {
        for id in connectionIDs { drop(id, politely: false) }
    }
}
