import Reactor

/// Hands out connections. It lives on the reactor's thread, as the connections do, so it reads their state without
/// waiting.
actor PoolCore {
    /// When a shared connection has this many queries in flight, another is opened if the pool may still grow.
    static let inFlightBeforeGrowth = 16

    private struct Slot {
        enum State { case empty, opening, open(PostgresConnection) }
        var state = State.empty
        var isLeased = false
    }

    private struct Waiter {
        var id: UInt64
        var wantsLease: Bool
        var since = ContinuousClock.now
        var continuation: CheckedContinuation<PostgresConnection, any Error>
        var timer: Reactor.TimerID
    }

    private let configuration: PostgresConfiguration
    private nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// The places for connections. The first is never leased, so that plain queries always have one.
    private var slots: [Slot] { didSet { reportConnections() } }
    private var waiters: [Waiter] = [] { didSet { reportWaiters() } }
    private let metrics: PoolMetrics
    private var reported = PoolMetrics.Connections()
    private var reportedWaiters = 0
    private var nextWaiter: UInt64 = 0
    private var retry = Backoff.ofConnecting
    private var retryTimer: Reactor.TimerID?
    private var lastError = PostgresError(.unavailable, "not connected yet")
    /// Why the server, which answers, gives this process no session that it can work with. The pool goes on trying.
    private(set) var refusal: PostgresError?
    private var isClosed = false
    private var check: (@Sendable (PostgresTransaction) async throws -> Void)?

    init(configuration: PostgresConfiguration, size: Int, reactor: Reactor, metrics: PoolMetrics) {
        self.configuration = configuration
        self.reactor = reactor
        self.metrics = metrics
        slots = Array(repeating: Slot(), count: size)
    }

    deinit {
        metrics.moved(from: reported, to: PoolMetrics.Connections())
        metrics.waiters(from: reportedWaiters, to: 0)
    }

    /// Returns a connection for one query, shared with others.
    func share(deadline: ContinuousClock.Instant) async throws -> PostgresConnection {
        if let connection = shareable() { return connection }
        return try await wait(wantsLease: false, deadline)
    }

    /// Returns a connection for the caller alone, until it is released.
    func lease(deadline: ContinuousClock.Instant) async throws -> PostgresConnection {
        if let connection = leasable() { return connection }
        return try await wait(wantsLease: true, deadline)
    }

    func release(_ connection: PostgresConnection) {
        guard let index = index(of: connection) else { return }
        slots[index].isLeased = false
        serveWaiters()
    }

    func checkConnections(by check: @escaping @Sendable (PostgresTransaction) async throws -> Void) {
        self.check = check
    }

    func close() {
        isClosed = true
        check = nil
        lastError = PostgresError(.unavailable, "the pool is closed")
        retryTimer.map(reactor.cancel)
        retryTimer = nil
        for slot in slots {
            if case .open(let connection) = slot.state { connection.assumeIsolated { $0.close() } }
        }
        failWaiters()
    }

    // MARK: - Choosing

    private func shareable() -> PostgresConnection? {
        var best: (connection: PostgresConnection, inFlight: Int)?
        for slot in slots where !slot.isLeased {
            guard case .open(let connection) = slot.state else { continue }
            let (usable, inFlight) = connection.assumeIsolated { ($0.isUsable && !$0.isStuck, $0.inFlight) }
            if usable, inFlight < (best?.inFlight ?? .max) { best = (connection, inFlight) }
        }
        if let best, best.inFlight >= Self.inFlightBeforeGrowth { openOne(from: 0) }
        return best?.connection
    }

    private func leasable() -> PostgresConnection? {
        for index in slots.indices.reversed() where index > 0 && !slots[index].isLeased {
            guard case .open(let connection) = slots[index].state else { continue }
            guard connection.assumeIsolated({ $0.isUsable && $0.inFlight == 0 }) else { continue }
            slots[index].isLeased = true
            return connection
        }
        return nil
    }

    private func index(of connection: PostgresConnection) -> Int? {
        slots.firstIndex { slot in
            if case .open(let other) = slot.state { return other === connection }
            return false
        }
    }

    // MARK: - Waiting

    private func wait(wantsLease: Bool, _ deadline: ContinuousClock.Instant) async throws -> PostgresConnection {
        if isClosed { throw lastError }
        let id = nextWaiter
        nextWaiter += 1
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = reactor.schedule(after: max(.zero, deadline - .now)) {
                    self.assumeIsolated { $0.giveUp(id, $0.lastError) }
                }
                waiters.append(
                    Waiter(id: id, wantsLease: wantsLease, continuation: continuation, timer: timer))
                openMissingConnections()
                if Task.isCancelled { giveUp(id, CancellationError()) }
            }
        } onCancel: {
            Task { await self.giveUp(id, CancellationError()) }
        }
    }

    private func giveUp(_ id: UInt64, _ error: any Error) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        let waiter = waiters.remove(at: index)
        reactor.cancel(waiter.timer)
        metrics.waited(since: waiter.since)
        metrics.failed(error)
        waiter.continuation.resume(throwing: error)
    }

    private func serveWaiters() {
        var remaining: [Waiter] = []
        for waiter in waiters {
            if let connection = waiter.wantsLease ? leasable() : shareable() {
                reactor.cancel(waiter.timer)
                metrics.waited(since: waiter.since)
                waiter.continuation.resume(returning: connection)
            } else {
                remaining.append(waiter)
            }
        }
        waiters = remaining
        if !waiters.isEmpty { openMissingConnections() }
    }

    private func failWaiters() {
        let failed = waiters
        waiters = []
        for waiter in failed {
            reactor.cancel(waiter.timer)
            waiter.continuation.resume(throwing: lastError)
        }
    }

    // MARK: - Metrics

    private func reportConnections() {
        var now = PoolMetrics.Connections()
        for slot in slots {
            switch slot.state {
            case .empty: break
            case .opening: now.opening += 1
            case .open: if slot.isLeased { now.leased += 1 } else { now.shared += 1 }
            }
        }
        guard now != reported else { return }
        metrics.moved(from: reported, to: now)
        reported = now
    }

    private func reportWaiters() {
        guard waiters.count != reportedWaiters else { return }
        metrics.waiters(from: reportedWaiters, to: waiters.count)
        reportedWaiters = waiters.count
    }

    // MARK: - Opening

    private func openMissingConnections() {
        if refusal != nil || waiters.contains(where: { !$0.wantsLease }) { openOne(from: 0) }
        if waiters.contains(where: \.wantsLease) { openOne(from: 1) }
    }

    /// Opens one more connection, unless one is being opened or the last attempt failed a moment ago.
    private func openOne(from first: Int) {
        guard !isClosed, retryTimer == nil else { return }
        var empty: Int?
        for index in first..<slots.count {
            switch slots[index].state {
            case .opening: return
            case .empty: empty = empty ?? index
            case .open: break
            }
        }
        guard let index = empty else { return }
        slots[index].state = .opening
        Task { await self.open(index) }
    }

    private func open(_ index: Int) async {
        let connection = PostgresConnection(reactor: reactor, metrics: metrics)
        do {
            try await connection.open(configuration) { error in
                self.assumeIsolated { $0.lost(connection, error) }
            }
            try await runCheck(on: connection)
            try admit(connection, to: index)
        } catch {
            await connection.close()
            slots[index].state = .empty
            // One connection more is a wish while others work.
            if let error = error as? PostgresError { note(error, isRefusal: !hasOtherThanTheFirst) }
            retryLater()
        }
    }

    private func runCheck(on connection: PostgresConnection) async throws {
        do { try await check?(PostgresTransaction(connection: connection)) } catch let error as PostgresError {
            // A caller that waits for the connection has sent nothing, and no statement of its is wrong.
            throw PostgresError(
                .unavailable, error.message, sqlState: error.rule?.notReady == nil ? nil : error.sqlState)
        }
    }

    /// Whether there is a connection that serves plain queries and transactions alike.
    private var hasOtherThanTheFirst: Bool {
        slots.dropFirst().contains { slot in
            guard case .open(let connection) = slot.state else { return false }
            return connection.assumeIsolated { $0.isUsable }
        }
    }

    private func admit(_ connection: PostgresConnection, to index: Int) throws {
        if isClosed { connection.assumeIsolated { $0.close() } }
        // The connection may have been lost already; then it is not used.
        guard connection.assumeIsolated({ $0.isUsable }) else { throw lastError }
        slots[index].state = .open(connection)
        retry.reset()
        refusal = nil
        serveWaiters()
    }

    private func lost(_ connection: PostgresConnection, _ error: PostgresError) {
        note(error)
        guard let index = index(of: connection) else { return }
        slots[index] = Slot()
        // Also without a caller that waits: whether the server still accepts sessions is known before they are needed.
        openOne(from: 0)
        openMissingConnections()
    }

    private func note(_ error: PostgresError, isRefusal: Bool = true) {
        guard !isClosed else { return }
        lastError = error
        // What was refused is refused until a session is admitted, whatever else goes wrong meanwhile.
        if isRefusal, error.rule?.notReady != nil { refusal = error }
    }

    private func retryLater() {
        guard !isClosed, retryTimer == nil else { return }
        retryTimer = reactor.schedule(after: retry.next()) {
            self.assumeIsolated {
                $0.retryTimer = nil
                $0.openMissingConnections()
            }
        }
    }
}
