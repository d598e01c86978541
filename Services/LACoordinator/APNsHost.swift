import APNsProtocol
import HTTP2
import Logging
import Reactor
import SightscreenModels

/// A few connections to one APNs host: dialled when the first push needs them, again with jitter when they are lost.
actor APNsHost {
    /// Between two new provider tokens on a connection.
    private static let tokenInterval = Duration.seconds(20 * 60)
    /// How long a push waits for a connection before it counts as never sent.
    private static let connectionWaitMax = Duration.seconds(3)

    private let origin: HTTP2Origin
    private let environment: APNsEnvironment
    private let tls: TLSContext
    private let reactor: Reactor
    private let connectionsMax: Int
    private let logger: Logger
    private var connections: [HTTP2ClientConnection] = []
    private var openSince: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    private var dialers: [Task<Void, Never>] = []
    private var next = 0
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiting: UInt64 = 0
    private var inFlight = 0
    private var isClosed = false

    init(
        origin: HTTP2Origin, environment: APNsEnvironment, tls: TLSContext, reactor: Reactor, connectionsMax: Int,
        logger: Logger
    ) {
        self.origin = origin
        self.environment = environment
        self.tls = tls
        self.reactor = reactor
        self.connectionsMax = connectionsMax
        self.logger = logger
    }

    var lines: FanOutMeasure.Lines { .init(connections: connections.count, inFlight: inFlight) }

    nonisolated var authority: String { origin.authority }

    func push(
        path: String, headers: HTTP2HeaderTemplate, body: [UInt8], timeout: Duration,
        isStillWanted: @escaping @Sendable () -> Bool
    ) async -> HTTP2Outcome {
        dial()
        inFlight += 1
        defer { inFlight -= 1 }
        var outcome = HTTP2Outcome.refused
        // A connection that is going away refuses; another one may take it.
        for _ in 0..<2 {
            guard let connection = await connection() else { return .refused }
            outcome = await connection.submit(
                path: path, headers: headers, body: body, timeout: timeout, isStillWanted: isStillWanted)
            guard outcome == .refused else { return outcome }
            if await !connection.isOpen { connections.removeAll { $0 === connection } }
        }
        return outcome
    }

    /// Lets go of all connections once what is under way on them is answered; new pushes go over new ones.
    func renewConnections() async {
        let old = connections
        connections = []
        for connection in old { await connection.drain() }
    }

    /// The same with those that may not show another provider token yet.
    func renewYoungConnections() async {
        let young = connections.filter { connection in
            openSince[ObjectIdentifier(connection)].map { .now - $0 < Self.tokenInterval } ?? true
        }
        connections.removeAll { connection in young.contains { $0 === connection } }
        for connection in young { await connection.drain() }
    }

    func close() async {
        isClosed = true
        for dialer in dialers { dialer.cancel() }
        for connection in connections { await connection.close() }
        connections = []
        wakeWaiting()
    }

    private func connection() async -> HTTP2ClientConnection? {
        if connections.isEmpty, !isClosed {
            let id = nextWaiting
            nextWaiting += 1
            let timer = Task {
                try? await Task.sleep(for: Self.connectionWaitMax)
                self.waiting.removeValue(forKey: id)?.resume()
            }
            await withCheckedContinuation { waiting[id] = $0 }
            timer.cancel()
        }
        guard !connections.isEmpty else { return nil }
        next = (next + 1) % connections.count
        return connections[next]
    }

    private func wakeWaiting() {
        for continuation in waiting.values { continuation.resume() }
        waiting.removeAll()
    }

    private func dial() {
        guard dialers.isEmpty, !isClosed else { return }
        for _ in 0..<connectionsMax { dialers.append(Task { await self.keepConnected() }) }
    }

    private func keepConnected() async {
        var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(30))
        while !Task.isCancelled {
            do {
                let connection = try await HTTP2ClientConnection.connect(to: origin, tls: tls, reactor: reactor)
                let since = ContinuousClock.now
                guard !isClosed else { return await connection.close() }
                connections.append(connection)
                openSince[ObjectIdentifier(connection)] = since
                wakeWaiting()
                logger.debug("Connected to APNs", metadata: ["apns.host": "\(origin)"])
                let reason = await connection.waitUntilClosed()
                connections.removeAll { $0 === connection }
                openSince[ObjectIdentifier(connection)] = nil
                if isClosed { return }
                APNsEnvironment.countClosed(environment)
                logger.info("APNs connection closed", metadata: ["apns.host": "\(origin)", "reason": "\(reason)"])
                if .now - since > .seconds(10) { backoff.reset() }
            } catch {
                APNsEnvironment.countClosed(environment)
                logger.warning("APNs cannot be reached", metadata: ["apns.host": "\(origin)", "error": "\(error)"])
            }
            try? await Task.sleep(for: backoff.next())
        }
    }
}
