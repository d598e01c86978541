public import Reactor

internal import Glibc

/// One HTTP/2 connection that asks its owner for the next request whenever it has room for one: nothing waits in it, so
/// what its owner no longer wants never leaves.
///
/// It belongs to its reactor's thread. At most 64 KiB has been promised to it and not sent, and that is dropped when the
/// process stood still meanwhile. It costs what nghttp2 and
/// OpenSSL cost, and allocates nothing for a request.
///
/// `@unchecked Sendable`: everything in it is touched on the reactor's thread alone.
public final class HTTP2Sender: @unchecked Sendable {
    public enum Phase: Sendable { case connecting, handshake, settings, open, draining, closed }

    public private(set) var phase = Phase.connecting
    /// Measured by PING when the connection opened, in nanoseconds; 0 before.
    public private(set) var roundTrip: Int64 = 0

    /// The owner's note: a request was answered well over it.
    public var isProven = false
    /// The owner's notes: which credentials requests on it show, and since when, by `MonotonicTime`.
    public var shown = 0
    public var shownAt: Int64 = 0

    private let origin: HTTP2Origin
    private let reactor: Reactor
    private let limits: HTTP2ClientLimits
    /// Until the connection is closed.
    private var owner: (any HTTP2SenderOwner)?
    private let session: HTTP2SendingSession
    private var transport: HTTP2Transport<HTTP2SendingSession>?
    private var pumpIsScheduled = false
    private let begun = MonotonicTime.now
    /// By `MonotonicTime`, when the sender last had something to do.
    public private(set) var now = MonotonicTime.now
    private var lastHeard: Int64 = 0
    private var heardBytes: UInt64 = 0
    private var pingSent: Int64 = 0
    private var pongs = 0
    private var drainReason = "drained"

    /// Connects. What comes of it, the owner hears; also of a failure, but not before this returns.
    public init(
        to address: HTTP2Address, of origin: HTTP2Origin, tls: TLSContext, reactor: Reactor,
        limits: HTTP2ClientLimits = HTTP2ClientLimits(), owner: any HTTP2SenderOwner
    ) {
        self.origin = origin
        self.reactor = reactor
        self.limits = limits
        self.owner = owner
        session = HTTP2SendingSession(
            slotCount: limits.streamsMax, replyBytesMax: limits.responseBodyBytesMax,
            keepsHeaders: limits.keepsResponseHeaders)
        session.onOutcome = { [unowned self] tag, outcome in self.owner?.finished(tag, outcome, on: self) }
        do throws(HTTP2Error) {
            try connect(address, tls)
        } catch {
            reactor.schedule(after: .zero) { self.end(error, politely: false) }
        }
    }

    // MARK: - For the owner

    /// Requests under way.
    public var inFlight: Int { session.inFlight }

    /// It takes no new requests, or the peer has just said that it will not.
    public var isGoingAway: Bool { phase != .open || session.goAway != nil }

    /// Streams that the peer lets us have open at once now.
    public var peerStreamsMax: Int { session.peerConcurrentStreamsMax }

    /// Whether a request with a body of this size can leave whole now.
    public func hasRoom(forBody bytes: Int) -> Bool { phase == .open && session.hasRoom(forBody: bytes) }

    /// Sends a request; only within the owner's `fill`, and only where `hasRoom` for it.
    /// - Parameters:
    ///   - path: copied.
    ///   - deadline: of its answer, by `MonotonicTime`; looked at by `sweep`.
    /// - Returns: false when the connection has no stream left: it drains then.
    public func submit(
        path: UnsafeBufferPointer<UInt8>, headers: HTTP2HeaderTemplate, body: HTTP2SharedBody, tag: Int, deadline: Int64
    ) -> Bool {
        if session.submit(path: path, headers: headers, body: body, tag: tag, deadline: deadline) { return true }
        beginDraining("out of stream ids")
        return false
    }

    /// There is something to send: `fill` is called soon.
    public func wake() {
        guard phase == .open, !pumpIsScheduled else { return }
        schedulePump()
    }

    /// Takes no new requests and closes when the last answer is in.
    public func drain() { beginDraining("drained") }

    /// Closes now: what was sent is `unknown`.
    public func close() { end(HTTP2Error(.connection, "closed by us"), politely: true) }

    /// Looks at deadlines, the handshake's among them, whether this thread runs, and asks a silent peer whether it is there.
    /// To be called a few times a second.
    public func sweep() {
        guard phase != .closed else { return }
        now = MonotonicTime.now
        guard phase == .open || phase == .draining else {
            if now - begun >= MonotonicTime.nanoseconds(limits.connectTimeout) {
                end(
                    HTTP2Error(.timeout, "no connection to \(origin) within \(limits.connectTimeout)"), politely: false)
            }
            return
        }
        guard let transport else { return }
        do throws(HTTP2Error) { try transport.noteRunning() } catch { return end(error, politely: false) }
        if session.expire(now: now) { schedulePump() }
        if transport.receivedBytes != heardBytes {
            heardBytes = transport.receivedBytes
            lastHeard = now
        }
        if pingSent != 0, session.pongs == pongs {
            if now - max(pingSent, lastHeard) >= MonotonicTime.nanoseconds(limits.pingTimeout) {
                end(HTTP2Error(.connection, "\(origin) answers no PING"), politely: false)
            }
        } else if now - lastHeard >= MonotonicTime.nanoseconds(limits.pingAfter) {
            ping()
        }
    }

    // MARK: - Opening

    private func connect(_ address: HTTP2Address, _ tls: TLSContext) throws(HTTP2Error) {
        let descriptor = try Sockets.make(address.native.family)
        Sockets.tune(descriptor)
        let status = address.native.withNative { Glibc.connect(descriptor, $0, $1) }
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
        transport = HTTP2Transport(
            descriptor: descriptor, tls: stream, session: session,
            standstillMax: MonotonicTime.nanoseconds(limits.standstillMax))
        reactor.watch(descriptor, for: .writable) { ready in self.serve(ready) }
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

    // MARK: - Serving the socket

    private func serve(_ ready: Reactor.Readiness) {
        now = MonotonicTime.now
        do throws(HTTP2Error) {
            switch phase {
            case .closed: return
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
            end(error, politely: false)
        }
    }

    private func exchange(_ ready: Reactor.Readiness) throws(HTTP2Error) {
        guard let transport else { return }
        if ready.contains(.readable) || ready.contains(.failed) {
            let isOpen: Bool
            do throws(HTTP2Error) { isOpen = try transport.read() } catch {
                noteConnectionFrames()
                throw error
            }
            noteConnectionFrames()
            guard isOpen else {
                throw HTTP2Error(
                    .connection, phase == .draining ? drainReason : "\(origin) closed the connection")
            }
        }
        try pump()
    }

    private func noteConnectionFrames() {
        if phase == .settings, session.hasSettings {
            phase = .open
            lastHeard = now
            ping()
            owner?.opened(self)
        }
        if pingSent != 0, session.pongs > pongs {
            pongs = session.pongs
            if roundTrip == 0 { roundTrip = max(1, now - pingSent) }
            pingSent = 0
        }
        if let goAway = session.goAway {
            beginDraining("GOAWAY \(goAway.code) \(String(decoding: goAway.debugData, as: UTF8.self))")
        }
    }

    private func ping() {
        pingSent = now
        session.ping()
        schedulePump()
    }

    private func schedulePump() {
        guard !pumpIsScheduled else { return }
        pumpIsScheduled = true
        reactor.schedule(after: .zero) { [self] in
            pumpIsScheduled = false
            guard phase == .open || phase == .draining else { return }
            now = MonotonicTime.now
            do throws(HTTP2Error) { try pump() } catch { end(error, politely: false) }
        }
    }

    private func pump() throws(HTTP2Error) {
        guard let transport, phase != .closed else { return }
        try transport.flush { phase == .open && owner?.fill(self) == true }
        guard phase != .closed else { return }
        if session.isFinished || (phase == .draining && session.inFlight == 0 && !transport.isBlocked) {
            end(HTTP2Error(.connection, drainReason), politely: true)
            return
        }
        reactor.setInterest(transport.descriptor, transport.isBlocked ? [.readable, .writable] : .readable)
    }

    // MARK: - Ending

    private func beginDraining(_ reason: String) {
        guard phase == .open else { return }
        phase = .draining
        drainReason = reason
        owner?.isDraining(self, reason)
        schedulePump()
    }

    private func end(_ error: HTTP2Error, politely: Bool) {
        guard phase != .closed else { return }
        phase = .closed
        if let transport {
            // What is in hand leaves with the good-bye.
            session.abandon(writtenBytes: politely ? .max : transport.writtenBytes, error.message)
            if politely {
                session.sayGoodbye()
                try? transport.flush()
            }
            reactor.unwatch(transport.descriptor)
            transport.close(politely: politely)
        }
        transport = nil
        owner?.closed(self, error)
        owner = nil
    }
}
