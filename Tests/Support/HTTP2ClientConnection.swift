public import HTTP2
public import Reactor

/// One HTTP/2 connection to one server, for callers that wait for their answers.
///
/// Requests wait here until the `HTTP2Sender` below has room. An open connection stays alive until it is closed, by
/// `close`, by the peer or by a failure.
public actor HTTP2ClientConnection: HTTP2SenderOwner {
    private struct Request {
        var path: String
        var headers: HTTP2HeaderTemplate
        var body: HTTP2SharedBody
        /// By `MonotonicTime`.
        var deadline: Int64
        var continuation: CheckedContinuation<HTTP2Outcome, Never>
    }

    private static let waitingMax = 4_096
    private static let sweepInterval = Duration.milliseconds(100)

    public nonisolated let origin: HTTP2Origin
    private nonisolated let reactor: Reactor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private var limits: HTTP2ClientLimits
    private var sender: HTTP2Sender?
    private var waiting = FIFO<Request>()
    private var inFlight: [Int: CheckedContinuation<HTTP2Outcome, Never>] = [:]
    private var nextTag = 0
    private var opening: CheckedContinuation<HTTP2Error?, Never>?
    private var closeWatchers: [CheckedContinuation<String, Never>] = []
    private var closeReason: String?

    private init(origin: HTTP2Origin, reactor: Reactor, limits: HTTP2ClientLimits) {
        self.origin = origin
        self.reactor = reactor
        self.limits = limits
        self.limits.keepsResponseHeaders = true
        // A list of channels is longer than an answer to a push.
        self.limits.responseBodyBytesMax = 64 * 1024
    }

    /// Looks the name up, connects to the first address that answers, checks the certificate, and waits for SETTINGS.
    public static func connect(
        to origin: HTTP2Origin, tls: TLSContext, reactor: Reactor, limits: HTTP2ClientLimits = HTTP2ClientLimits()
    ) async throws(HTTP2Error) -> HTTP2ClientConnection {
        var failure = HTTP2Error(.lookup, "\(origin.host) has no address")
        for address in try await origin.addresses() {
            let connection = HTTP2ClientConnection(origin: origin, reactor: reactor, limits: limits)
            guard let problem = await connection.open(address, tls) else { return connection }
            failure = problem
        }
        throw failure
    }

    private func open(_ address: HTTP2Address, _ tls: TLSContext) async -> HTTP2Error? {
        await withCheckedContinuation { continuation in
            opening = continuation
            sender = HTTP2Sender(to: address, of: origin, tls: tls, reactor: reactor, limits: limits, owner: self)
            scheduleSweep()
        }
    }

    // MARK: - For callers

    /// Sends a request and waits for its outcome, which comes no later than `timeout`.
    public func submit(
        path: String, headers: HTTP2HeaderTemplate, body: [UInt8], timeout: Duration
    ) async -> HTTP2Outcome {
        await withCheckedContinuation { continuation in
            guard isOpen, waiting.count < Self.waitingMax else {
                continuation.resume(returning: .refused)
                return
            }
            waiting.append(
                Request(
                    path: path, headers: headers, body: HTTP2SharedBody(body),
                    deadline: MonotonicTime.now + MonotonicTime.nanoseconds(timeout), continuation: continuation))
            sender?.wake()
        }
    }

    /// New requests are taken.
    public var isOpen: Bool { sender?.isOpen == true }

    /// Requests that are in it, sent or not.
    public var load: Int { waiting.count + inFlight.count }

    /// Returns when the connection is closed, with the reason.
    public func waitUntilClosed() async -> String {
        if let closeReason { return closeReason }
        return await withCheckedContinuation { closeWatchers.append($0) }
    }

    /// Takes no new requests; what waits is refused, and the connection closes when the last answer is in.
    public func drain() {
        sender?.drain()
        refuseWaiting()
    }

    /// Closes now: what was sent is `unknown`.
    public func close() { sender?.close() }

    // MARK: - The sender's owner

    public nonisolated func fill(_ sender: HTTP2Sender) -> Bool { assumeIsolated { $0.sendNext(over: sender) } }

    public nonisolated func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
        assumeIsolated { _ = $0.inFlight.removeValue(forKey: tag)?.resume(returning: outcome) }
    }

    public nonisolated func opened(_ sender: HTTP2Sender) {
        assumeIsolated {
            $0.opening?.resume(returning: nil)
            $0.opening = nil
        }
    }

    public nonisolated func isGoingAway(_ sender: HTTP2Sender, _ reason: String) {
        assumeIsolated { $0.refuseWaiting() }
    }

    public nonisolated func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool) {
        assumeIsolated { $0.isClosed(reason) }
    }

    private func sendNext(over sender: HTTP2Sender) -> Bool {
        guard let next = waiting.first, sender.hasRoom(forBody: next.body.count) else { return false }
        _ = waiting.popFirst()
        nextTag += 1
        var path = next.path
        let isSent = path.withUTF8 {
            sender.submit(path: $0, headers: next.headers, body: next.body, tag: nextTag, deadline: next.deadline)
        }
        if isSent { inFlight[nextTag] = next.continuation } else { next.continuation.resume(returning: .refused) }
        return isSent
    }

    private func refuseWaiting() {
        while let request = waiting.popFirst() { request.continuation.resume(returning: .refused) }
    }

    private func isClosed(_ error: HTTP2Error) {
        closeReason = error.message
        sender = nil
        opening?.resume(returning: error)
        opening = nil
        refuseWaiting()
        for watcher in closeWatchers { watcher.resume(returning: error.message) }
        closeWatchers.removeAll()
    }

    private func scheduleSweep() {
        reactor.schedule(after: Self.sweepInterval) { [weak self] in self?.assumeIsolated { $0.sweep() } }
    }

    private func sweep() {
        guard let sender else { return }
        scheduleSweep()
        let now = MonotonicTime.now
        for request in waiting.removeAll(where: { $0.deadline <= now }) {
            request.continuation.resume(returning: .refused)
        }
        sender.sweep()
    }
}
