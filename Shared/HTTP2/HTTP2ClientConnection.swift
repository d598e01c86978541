public import Reactor

internal import Glibc

/// One HTTP/2 connection to one server, on a reactor's thread.
///
/// Requests are handed to the session one by one as the socket takes them, so that at most 64 KiB has been promised and
/// not sent, and whether a request is still wanted is asked just before it leaves. An open connection stays alive until
/// it is closed, by `close`, by the peer or by a failure.
public actor HTTP2ClientConnection {
    private enum Phase { case idle, connecting, handshake, settings, open, draining, closed }

    private struct Request {
        var path: String
        var headers: HTTP2HeaderTemplate
        var body: [UInt8]
        var deadline: ContinuousClock.Instant
        var isStillWanted: (@Sendable () -> Bool)?
        var continuation: CheckedContinuation<HTTP2Outcome, Never>
    }

    private struct Flight {
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<HTTP2Outcome, Never>
    }

    public nonisolated let origin: HTTP2Origin
    private nonisolated let reactor: Reactor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private let limits: HTTP2ClientLimits
    private let tls: TLSContext
    private var phase = Phase.idle
    private var transport: HTTP2Transport?
    private var waiting = FIFO<Request>()
    private var inFlight: [Int32: Flight] = [:]
    private var opening: CheckedContinuation<HTTP2Error?, Never>?
    private var closeWatchers: [CheckedContinuation<String, Never>] = []
    private var closeReason = ""
    private var pumpIsScheduled = false
    private var sweepTimer: Reactor.TimerID?
    private var lastHeard = ContinuousClock.now
    private var heardBytes: UInt64 = 0
    private var pingSent: ContinuousClock.Instant?
    private var goAwayReason: String?

    private init(origin: HTTP2Origin, tls: TLSContext, reactor: Reactor, limits: HTTP2ClientLimits) {
        self.origin = origin
        self.tls = tls
        self.reactor = reactor
        self.limits = limits
    }

    /// Looks the name up, connects to the first address that answers, checks the certificate, and waits for SETTINGS.
    public static func connect(
        to origin: HTTP2Origin, tls: TLSContext, reactor: Reactor, limits: HTTP2ClientLimits = HTTP2ClientLimits()
    ) async throws(HTTP2Error) -> HTTP2ClientConnection {
        let addresses = try await SocketAddress.lookUp(host: origin.host, port: origin.port)
        var failure = HTTP2Error(.lookup, "\(origin.host) has no address")
        for address in addresses {
            let connection = HTTP2ClientConnection(origin: origin, tls: tls, reactor: reactor, limits: limits)
            guard let problem = await connection.open(address) else { return connection }
            failure = problem
        }
        throw failure
    }

    // MARK: - For callers

    /// Sends a request and waits for its outcome, which comes no later than `timeout`.
    /// - Parameter isStillWanted: asked once on the reactor's thread, just before the request leaves.
    public func submit(
        path: String, headers: HTTP2HeaderTemplate, body: [UInt8], timeout: Duration,
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) async -> HTTP2Outcome {
        await withCheckedContinuation { continuation in
            guard phase == .open, waiting.count < limits.waitingMax else {
                continuation.resume(returning: .refused)
                return
            }
            waiting.append(
                Request(
                    path: path, headers: headers, body: body, deadline: .now + timeout, isStillWanted: isStillWanted,
                    continuation: continuation))
            schedulePump()
        }
    }

    /// New requests are taken.
    public var isOpen: Bool { phase == .open }

    /// Requests that are in it, sent or not.
    public var load: Int { waiting.count + inFlight.count }

    /// Returns when the connection is closed, with the reason.
    public func waitUntilClosed() async -> String {
        if phase == .closed { return closeReason }
        return await withCheckedContinuation { closeWatchers.append($0) }
    }

    /// Takes no new requests; what waits is refused, and the connection closes when the last answer is in.
    public func drain() {
        guard phase == .open else { return }
        beginDraining("drained")
    }

    /// Closes now: what was sent is `unknown`.
    public func close() { end("closed by us", politely: true) }

    // MARK: - Opening

    private func open(_ address: SocketAddress) async -> HTTP2Error? {
        await withCheckedContinuation { continuation in
            opening = continuation
            do throws(HTTP2Error) {
                try start(address)
            } catch {
                fail(error)
            }
        }
    }

    private func start(_ address: SocketAddress) throws(HTTP2Error) {
        let descriptor = try Sockets.make(address.family)
        Sockets.tune(descriptor)
        let status = address.withNative { Glibc.connect(descriptor, $0, $1) }
        if status != 0, errno != EINPROGRESS {
            let error = Sockets.failure("cannot connect to \(origin)")
            Glibc.close(descriptor)
            throw error
        }
        let stream: TLSStream
        do throws(HTTP2Error) {
            stream = try TLSStream(tls, descriptor: descriptor, host: origin.host)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        let session = HTTP2Session(
            role: .client, settings: .init(concurrentStreamsMax: 0), bodyBytesMax: limits.responseBodyBytesMax)
        transport = HTTP2Transport(descriptor: descriptor, tls: stream, session: session)
        phase = .connecting
        reactor.watch(descriptor, for: .writable) { ready in self.assumeIsolated { $0.serve(ready) } }
        reactor.schedule(after: limits.connectTimeout) { [weak self] in
            self?.assumeIsolated { $0.connectTimedOut() }
        }
    }

    private func connectTimedOut() {
        guard opening != nil else { return }
        fail(HTTP2Error(.timeout, "no connection to \(origin) within \(limits.connectTimeout)"))
    }

    private func isOpened() {
        phase = .open
        lastHeard = .now
        opening?.resume(returning: nil)
        opening = nil
        scheduleSweep()
    }

    // MARK: - Serving the socket

    private func serve(_ ready: Reactor.Readiness) {
        do throws(HTTP2Error) {
            switch phase {
            case .idle, .closed: return
            case .connecting:
                guard let descriptor = transport?.descriptor else { return }
                let error = Sockets.pendingError(descriptor)
                guard error == 0 else { throw Sockets.failure("cannot connect to \(origin)", error) }
                phase = .handshake
                try shakeHands()
            case .handshake: try shakeHands()
            case .settings, .open, .draining: try exchange(ready)
            }
        } catch {
            fail(error)
        }
    }

    private func shakeHands() throws(HTTP2Error) {
        guard let transport else { return }
        switch transport.handshake() {
        case .done:
            phase = .settings
            try exchange([.readable])
        case .wantsRead: reactor.setInterest(transport.descriptor, .readable)
        case .wantsWrite: reactor.setInterest(transport.descriptor, .writable)
        case .closed: throw HTTP2Error(.tls, "\(origin) closed the connection during the TLS handshake")
        case .failed(let reason): throw HTTP2Error(.tls, "no TLS with \(origin): \(reason)")
        }
    }

    private func exchange(_ ready: Reactor.Readiness) throws(HTTP2Error) {
        guard let transport else { return }
        var peerClosed = false
        var broken: HTTP2Error?
        if ready.contains(.readable) || ready.contains(.failed) {
            do throws(HTTP2Error) {
                peerClosed = try !transport.read()
            } catch {
                broken = error
            }
            handleEvents()
        }
        if let broken { throw broken }
        if peerClosed {
            throw HTTP2Error(.connection, goAwayReason ?? "\(origin) closed the connection")
        }
        try pump()
    }

    private func schedulePump() {
        guard !pumpIsScheduled else { return }
        pumpIsScheduled = true
        // After the jobs that are waiting now, so that many requests share one write.
        reactor.schedule(after: .zero) { self.assumeIsolated { $0.pumpNow() } }
    }

    private func pumpNow() {
        pumpIsScheduled = false
        guard phase == .open || phase == .draining else { return }
        do throws(HTTP2Error) { try pump() } catch { fail(error) }
    }

    private func pump() throws(HTTP2Error) {
        guard let transport, phase != .closed else { return }
        try transport.flush { self.sendNext(transport.session) }
        guard phase != .closed else { return }
        handleEvents()
        guard phase != .closed else { return }
        if transport.session.isFinished || (phase == .draining && inFlight.isEmpty && !transport.isBlocked) {
            end(goAwayReason ?? "drained", politely: true)
            return
        }
        reactor.setInterest(transport.descriptor, transport.isBlocked ? [.readable, .writable] : .readable)
    }

    /// Hands the next waiting request to the session.
    /// - Returns: false when there is none, or none can go now.
    private func sendNext(_ session: HTTP2Session) -> Bool {
        while phase == .open, let next = waiting.first {
            guard inFlight.count < min(limits.streamsMax, session.peerConcurrentStreamsMax) else { return false }
            // Without room for the body the request would only wait half sent, where it cannot be withdrawn.
            guard session.peerWindowBytes >= next.body.count || inFlight.isEmpty else { return false }
            _ = waiting.popFirst()
            if let isStillWanted = next.isStillWanted, !isStillWanted() {
                next.continuation.resume(returning: .withdrawn)
                continue
            }
            guard let stream = session.request(path: next.path, headers: next.headers, body: next.body) else {
                next.continuation.resume(returning: .refused)
                beginDraining("out of stream ids")
                return false
            }
            inFlight[stream] = Flight(deadline: next.deadline, continuation: next.continuation)
            return true
        }
        return false
    }

    private func handleEvents() {
        guard let transport else { return }
        for event in transport.session.takeEvents() {
            switch event {
            case .settings: if phase == .settings { isOpened() }
            case .pong: pingSent = nil
            case .message(let stream, let message):
                inFlight.removeValue(forKey: stream)?.continuation.resume(returning: outcome(of: message))
            case .closed(let stream, let code):
                inFlight.removeValue(forKey: stream)?.continuation.resume(
                    returning: code == .refusedStream ? .refused : .unknown(.reset(code)))
            case .goAway(_, let code, let debugData):
                let text = String(decoding: debugData.prefix(256), as: UTF8.self)
                beginDraining("GOAWAY \(code) \(text)")
            }
        }
    }

    private func outcome(of message: HTTP2Session.Message) -> HTTP2Outcome {
        guard let status = message.fields[":status"].flatMap({ Int($0) }) else {
            return .unknown(.reset(.protocolError))
        }
        return .response(
            HTTP2Response(status: status, headers: message.fields.filter { $0.name.first != ":" }, body: message.body))
    }

    // MARK: - Ending

    private func beginDraining(_ reason: String) {
        if phase == .settings { isOpened() }
        guard phase == .open else { return }
        phase = .draining
        goAwayReason = reason
        refuseWaiting()
        schedulePump()
    }

    private func refuseWaiting() {
        while let request = waiting.popFirst() { request.continuation.resume(returning: .refused) }
    }

    private func fail(_ error: HTTP2Error) {
        if let opening {
            self.opening = nil
            end(error.message, politely: false)
            opening.resume(returning: error)
        } else {
            end(error.message, politely: false)
        }
    }

    private func end(_ reason: String, politely: Bool) {
        guard phase != .closed else { return }
        phase = .closed
        closeReason = reason
        refuseWaiting()
        if let transport {
            for (stream, flight) in inFlight {
                // What TLS has not taken cannot have reached the peer.
                let offset = transport.session.outputOffset(ofStream: stream)
                let mayHaveLeft = offset.map { $0 < transport.writtenBytes } ?? false
                flight.continuation.resume(returning: mayHaveLeft ? .unknown(.connectionLost(reason)) : .refused)
            }
            inFlight.removeAll()
            if politely {
                transport.session.goAway(.noError)
                try? transport.flush()
            }
            reactor.unwatch(transport.descriptor)
            transport.close(politely: politely)
        }
        transport = nil
        if let sweepTimer { reactor.cancel(sweepTimer) }
        sweepTimer = nil
        for watcher in closeWatchers { watcher.resume(returning: reason) }
        closeWatchers.removeAll()
    }

    // MARK: - Deadlines and idleness

    private func scheduleSweep() {
        sweepTimer = reactor.schedule(after: .milliseconds(100)) { [weak self] in
            self?.assumeIsolated { $0.sweep() }
        }
    }

    private func sweep() {
        guard phase != .closed, let transport else { return }
        scheduleSweep()
        let now = ContinuousClock.now
        for request in waiting.removeAll(where: { $0.deadline <= now }) {
            request.continuation.resume(returning: .refused)
        }
        for (stream, flight) in inFlight where flight.deadline <= now {
            inFlight[stream] = nil
            transport.session.reset(stream: stream, .cancel)
            flight.continuation.resume(returning: .unknown(.deadline))
            schedulePump()
        }
        if transport.receivedBytes != heardBytes {
            heardBytes = transport.receivedBytes
            lastHeard = now
            pingSent = nil
        }
        if let pingSent {
            if now - pingSent >= limits.pingTimeout { end("\(origin) answers no PING", politely: false) }
        } else if now - lastHeard >= limits.pingAfter {
            pingSent = now
            transport.session.ping()
            schedulePump()
        }
    }
}
