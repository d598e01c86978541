public import Reactor

internal import Glibc

/// One HTTP/2 connection that asks its owner for the next request whenever it has room for one. Nothing waits in it, so
/// that a request its owner no longer wants never leaves.
///
/// It belongs to its reactor's thread. At most 64 KiB have been submitted and not sent, and they are dropped if the
/// process stalls meanwhile. It costs what nghttp2 and OpenSSL cost, and allocates nothing per request.
///
/// `@unchecked Sendable`: everything in it is touched on the reactor's thread alone.
public final class HTTP2Sender: @unchecked Sendable {
    private typealias Transport = HTTP2Transport<HTTP2SendingSession>

    private enum Phase {
        /// No socket could be made; the owner is told in a moment.
        case failed
        /// The phases of opening: TCP, TLS, then the peer's SETTINGS.
        case connecting(Transport)
        case handshake(Transport)
        case settings(Transport)
        case open(Transport)
        /// The connection takes no new requests.
        case draining(Transport, reason: String)
        case closed
    }

    /// Notes that the owner keeps with a connection.
    public struct Notes: Sendable {
        /// The peer has opened the connection.
        public var isOpened = false
        /// A request on the connection was accepted by the peer.
        public var isProven = false
        /// The serial of the credentials that requests on the connection show; 0 before the first.
        public var shown = 0
        /// When the shown token was last changed, by `MonotonicTime`.
        public var shownAt: Int64 = 0
    }

    public var notes = Notes()
    /// The time, by `MonotonicTime`, when the sender last had something to do.
    public private(set) var now: Int64

    private let origin: HTTP2Origin
    private let reactor: Reactor
    private let limits: HTTP2ClientLimits
    private let begun = MonotonicTime.now
    /// The owner, kept until the connection is closed.
    private var owner: (any HTTP2SenderOwner)?
    private let session: HTTP2SendingSession
    private var phase = Phase.failed
    private var liveness: HTTP2Liveness
    private var pumpIsScheduled = false

    /// Starts to connect. The owner is told the result, a failure too, but not before this returns.
    public init(
        to address: HTTP2Address, of origin: HTTP2Origin, tls: TLSContext, reactor: Reactor,
        limits: HTTP2ClientLimits = HTTP2ClientLimits(), owner: any HTTP2SenderOwner
    ) {
        self.origin = origin
        self.reactor = reactor
        self.limits = limits
        self.owner = owner
        now = begun
        liveness = HTTP2Liveness(now: begun)
        session = HTTP2SendingSession(
            slotCount: limits.streamsMax, replyBytesMax: limits.responseBodyBytesMax,
            keepsHeaders: limits.keepsResponseHeaders)
        session.onOutcome = { [unowned self] tag, outcome in self.owner?.finished(tag, outcome, on: self) }
        do throws(HTTP2Error) {
            phase = .connecting(try connect(address, tls))
        } catch {
            reactor.schedule(after: .zero) { self.end(error, politely: false) }
        }
    }

    // MARK: - For the owner

    /// The number of requests in flight.
    public var inFlight: Int { session.inFlight }

    /// The round trip measured by PING when the connection opened, in nanoseconds; 0 before.
    public var roundTrip: Int64 { liveness.roundTrip }

    public var isOpen: Bool { if case .open = phase { true } else { false } }

    /// Whether the connection takes no new requests any more.
    public var isEnding: Bool {
        switch phase {
        case .failed, .connecting, .handshake, .settings, .open: false
        case .draining, .closed: true
        }
    }

    /// Whether the connection takes no new requests, or the peer has just sent GOAWAY.
    public var isGoingAway: Bool { !isOpen || session.goAway != nil }

    /// The number of streams that the peer allows at once now.
    public var peerStreamsMax: Int { session.peerConcurrentStreamsMax }

    /// Whether a request with a body of this size can leave whole now.
    public func hasRoom(forBody bytes: Int) -> Bool { isOpen && session.hasRoom(forBody: bytes) }

    /// Sends a request. It may only be called within the owner's `fill`, and only if `hasRoom` for it.
    /// - Parameters:
    ///   - path: the value of `:path`, which is copied.
    ///   - deadline: the deadline of the answer, by `MonotonicTime`; `sweep` checks it.
    /// - Returns: false when the connection has no stream left and must be drained.
    public func submit(
        path: UnsafeBufferPointer<UInt8>, headers: HTTP2HeaderTemplate, body: HTTP2SharedBody, tag: Int, deadline: Int64
    ) -> Bool { session.submit(path: path, headers: headers, body: body, tag: tag, deadline: deadline) }

    /// Has the owner's `fill` called soon, because there is something to send.
    public func wake() { if isOpen { schedulePump() } }

    /// Stops taking new requests, and closes later, when the last answer has arrived.
    /// - Returns: whether the connection was open.
    @discardableResult public func drain() -> Bool { drain("drained") }

    /// Closes now; requests that were sent end as `unknown`.
    public func close() { end(HTTP2Error(.connection, "closed by us"), politely: true) }

    /// Checks the deadlines of requests and of the handshake, and whether this thread runs, and asks a silent peer
    /// whether it is alive. It must be called a few times a second.
    public func sweep() {
        now = MonotonicTime.now
        switch phase {
        case .failed, .closed: return
        case .connecting, .handshake, .settings:
            guard now - begun >= MonotonicTime.nanoseconds(limits.connectTimeout) else { return }
            end(HTTP2Error(.timeout, "no connection to \(origin) within \(limits.connectTimeout)"), politely: false)
        case .open(let transport), .draining(let transport, _):
            do throws(HTTP2Error) { try transport.noteRunning() } catch { return end(error, politely: false) }
            if session.expire(now: now) { schedulePump() }
            switch liveness.need(bytes: transport.receivedBytes, limits: limits, now: now) {
            case .nothing: break
            case .ping: ping()
            case .goodbye: end(HTTP2Error(.connection, "\(origin) answers no PING"), politely: false)
            }
        }
    }

    // MARK: - Opening

    private func connect(_ address: HTTP2Address, _ tls: TLSContext) throws(HTTP2Error) -> Transport {
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
        reactor.watch(descriptor, for: .writable) { ready in self.serve(ready) }
        return HTTP2Transport(
            descriptor: descriptor, tls: stream, session: session,
            stallMax: MonotonicTime.nanoseconds(limits.stallMax))
    }

    private func shakeHands(_ transport: Transport) throws(HTTP2Error) {
        switch transport.handshake() {
        case .done:
            phase = .settings(transport)
            try exchange([.readable], transport)
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
            case .failed, .closed: return
            case .connecting(let transport):
                let error = Sockets.pendingError(transport.descriptor)
                guard error == 0 else { throw Sockets.failure("cannot connect to \(origin)", error) }
                phase = .handshake(transport)
                try shakeHands(transport)
            case .handshake(let transport): try shakeHands(transport)
            case .settings(let transport), .open(let transport), .draining(let transport, _):
                try exchange(ready, transport)
            }
        } catch {
            end(error, politely: false)
        }
    }

    private func exchange(_ ready: Reactor.Readiness, _ transport: Transport) throws(HTTP2Error) {
        if ready.contains(.readable) || ready.contains(.failed) {
            let hasMore: Bool
            do throws(HTTP2Error) { hasMore = try transport.read() } catch {
                noteConnectionFrames()
                throw error
            }
            noteConnectionFrames()
            guard hasMore else {
                throw HTTP2Error(.connection, drainReason ?? "\(origin) closed the connection")
            }
        }
        try pump()
    }

    private func noteConnectionFrames() {
        if case .settings(let transport) = phase, session.hasSettings {
            phase = .open(transport)
            liveness = HTTP2Liveness(now: now)
            ping()
            owner?.opened(self)
        }
        liveness.heard(pongs: session.pongs, now: now)
        if let goAway = session.goAway {
            let reason = "GOAWAY \(goAway.code) \(String(decoding: goAway.debugData, as: UTF8.self))"
            if drain(reason) { owner?.isGoingAway(self, reason) }
        }
    }

    private func ping() {
        liveness.pinged(now: now)
        session.ping()
        schedulePump()
    }

    private func schedulePump() {
        guard !pumpIsScheduled else { return }
        pumpIsScheduled = true
        reactor.schedule(after: .zero) { [self] in
            pumpIsScheduled = false
            now = MonotonicTime.now
            do throws(HTTP2Error) { try pump() } catch { end(error, politely: false) }
        }
    }

    private func pump() throws(HTTP2Error) {
        guard let transport else { return }
        try transport.flush { isOpen && owner?.fill(self) == true }
        guard self.transport != nil else { return }
        if session.isFinished || isEnding && session.inFlight == 0 && !transport.isBlocked {
            return end(HTTP2Error(.connection, drainReason ?? "drained"), politely: true)
        }
        reactor.setInterest(transport.descriptor, transport.isBlocked ? [.readable, .writable] : .readable)
    }

    private var transport: Transport? {
        switch phase {
        case .failed, .closed: nil
        case .connecting(let transport), .handshake(let transport), .settings(let transport), .open(let transport),
            .draining(let transport, _):
            transport
        }
    }

    // MARK: - Ending

    private var drainReason: String? { if case .draining(_, let reason) = phase { reason } else { nil } }

    private func drain(_ reason: String) -> Bool {
        guard case .open(let transport) = phase else { return false }
        phase = .draining(transport, reason: reason)
        schedulePump()
        return true
    }

    private func end(_ error: HTTP2Error, politely: Bool) {
        if case .closed = phase { return }
        let (wasDraining, transport) = (isEnding, transport)
        phase = .closed
        if let transport {
            // A polite close also sends the bytes that still wait, so all output counts as written.
            session.abandon(writtenBytes: politely ? .max : transport.writtenBytes, error.message)
            if politely {
                session.sayGoodbye()
                try? transport.flush()
            }
            reactor.unwatch(transport.descriptor)
            transport.close(politely: politely)
        }
        owner?.closed(self, error, wasDraining: wasDraining)
        owner = nil
    }
}
