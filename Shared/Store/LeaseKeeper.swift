public import Logging
import Postgres

/// Keeps a set of leases for one process: acquires free ones, renews every third of the duration, and releases them at
/// the end.
///
/// Leases that many processes want alike (shards, poll groups) are shared: each process keeps its part, and drains some
/// when another joins.
public actor LeaseKeeper {
    /// The longest time that the last release waits for the database: a process that ends has five seconds in all, and
    /// a lease expires by itself.
    static let releaseMax = Duration.seconds(1)
    /// The time added to the moment when a lease expires, before it is acquired.
    private static let expiryMargin = Duration.milliseconds(20)
    /// The pause between tries to release leases that are drained.
    private static let releasePause = Duration.milliseconds(500)
    /// The pause after a round that PostgreSQL did not answer.
    private static let retryPause = Duration.milliseconds(100)

    private struct Share {
        var kind: String
        var names: [LeaseName]
        /// Ends the work on some leases.
        /// - Returns: the leases that may be released now.
        var drain: @Sendable ([LeaseName]) async -> [LeaseName]
    }

    private let store: LeaseStore
    private let instance: String
    private let holder: String
    private let duration: Duration
    private let logger: Logger

    private var wanted: Set<LeaseName> = []
    private var share: Share?
    /// Shared leases whose work is being drained.
    private var draining: Set<LeaseName> = []
    /// Drained leases: released in the next round, retried until that succeeds, and not renewed meanwhile.
    private var drained: Set<LeaseName> = []
    private var held: [LeaseName: Lease] = [:]
    private var isReachable = true
    /// All leases are released, and none is acquired any more.
    private var isOver = false
    private var isStandby = false
    private var metrics = LeaseMetrics()
    private var waiting: [LeaseName: [UInt64: CheckedContinuation<Lease?, Never>]] = [:]
    private var nextWaiting: UInt64 = 0
    private nonisolated let rounds: AsyncStream<Void>
    private nonisolated let beginRound: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - instance: the process's instance name; no two living processes have the same.
    ///   - duration: the time that a lease lasts without renewal (`LEASE_DURATION`).
    public init(store: LeaseStore, instance: String, duration: Duration = .seconds(8), logger: Logger) {
        self.store = store
        self.instance = instance
        self.holder = LeaseStore.holder(instance: instance)
        self.duration = duration
        self.logger = logger
        (rounds, beginRound) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds leases to keep. They are acquired in the next round, or at once by `acquireNow`.
    public func want(_ names: some Sequence<LeaseName>) {
        guard !isOver else { return }
        wanted.formUnion(names)
        metrics.wanted(names)
    }

    /// Keeps as many of these leases as every other process that shares them, or one more. It must be called before
    /// `run`.
    ///
    /// - Parameters:
    ///   - kind: the beginning of the names of such leases ("shard").
    ///   - drain: called when other processes are to have some of them: it ends the work on these within seconds, and
    ///     returns those on which it has ended. They stay held and are renewed meanwhile.
    public func share(
        _ names: [LeaseName], of kind: String,
        drain: @escaping @Sendable ([LeaseName]) async -> [LeaseName] = { $0 }
    ) {
        share = Share(kind: kind, names: names, drain: drain)
        metrics.wanted(names)
    }

    /// Stops keeping these leases, and releases those that are held.
    public func forget(_ names: some Sequence<LeaseName>) async {
        wanted.subtract(names)
        let ours = names.filter { held.removeValue(forKey: $0) != nil }
        metrics.released(ours)
        reportHeld()
        await release(ours)
    }
    /// Begins or ends standby. In standby all leases are released and none is acquired.
    public func setStandby(_ isStandby: Bool) async {
        self.isStandby = isStandby
        guard isStandby else {
            beginRound.yield()
            return
        }
        var ours = Array(held.keys)
        held = [:]
        metrics.released(ours)
        reportHeld()
        if let share { ours.append(.keeper(of: share.kind, instance)) }
        await release(ours)
    }

    /// Returns the lease if it is held and still trusted.
    public func lease(for name: LeaseName) -> Lease? {
        guard let lease = held[name], lease.isTrusted else { return nil }
        return lease
    }

    /// All leases that are held and still trusted.
    public var leases: [Lease] { held.values.filter(\.isTrusted) }

    /// Tries to acquire one lease at once, and keeps it from then on. Its present holder learns that another process
    /// asks for it (`Lease.askedAt`).
    /// - Returns: nil if another process has the lease, or if this process ends or is in standby.
    public func acquireNow(_ name: LeaseName) async throws -> Lease? {
        if let lease = lease(for: name) { return lease }
        guard !isOver, !isStandby, !drained.contains(name) else { return nil }
        want([name])
        note(try await store.acquire([name], holder: holder, duration: duration), of: [name])
        let lease = lease(for: name)
        if lease == nil, !isOver { try await store.request(name) }
        return lease
    }

    /// Waits until the lease is acquired; nil if the task is cancelled. `run` must be running.
    public func waitForLease(_ name: LeaseName) async -> Lease? {
        if Task.isCancelled { return nil }
        if let lease = lease(for: name) { return lease }
        if share?.names.contains(name) != true { want([name]) }
        let id = nextWaiting
        nextWaiting += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: nil) }
                waiting[name, default: [:]][id] = continuation
            }
        } onCancel: {
            Task { await self.stopWaiting(name, id) }
        }
    }

    // MARK: - Rounds

    /// Keeps the leases until the task is cancelled. Then it releases them, notifies waiting processes, and acquires
    /// none again.
    public func run() async {
        let listening = Task {
            for await _ in store.releases() where hasUseForMore { beginRound.yield() }
        }
        beginRound.yield()
        await withTaskCancellationHandler {
            for await _ in rounds {
                if Task.isCancelled { break }
                let pause = await renew()
                let timer = Task { [beginRound] in
                    try? await Task.sleep(for: pause)
                    if !Task.isCancelled { beginRound.yield() }
                }
                self.timer?.cancel()
                self.timer = timer
            }
        } onCancel: {
            beginRound.finish()
        }
        timer?.cancel()
        listening.cancel()
        await releaseAll()
    }

    private var timer: Task<Void, Never>?
    /// Whether this process can use a lease that another one releases.
    private var hasUseForMore: Bool { share != nil || wanted.contains { held[$0] == nil } }

    /// Runs one round.
    /// - Returns: the time until the next round.
    private func renew() async -> Duration {
        var pause = duration / 3
        if isStandby { return pause }
        do {
            await releaseDrained()
            let others: [LeaseShares.Row]
            var names = wanted
            (names, others) = try await withShare(names)
            names.subtract(drained)
            note(try await store.acquire(Array(names), holder: holder, duration: duration), of: Array(names))
            if !isReachable { logger.info("Leases are renewed again") }
            isReachable = true
            // A lease that expires is acquired at that moment.
            let missing = wanted.filter { held[$0] == nil }
            let rows = missing.isEmpty ? others : try await store.read(missing) + others
            if let left = rows.map(\.left).min() { pause = min(pause, .seconds(left) + Self.expiryMargin) }
        } catch {
            if isReachable, !Task.isCancelled {
                logger.warning("Leases could not be renewed", metadata: ["error": "\(error)"])
            }
            isReachable = false
            // After a third of the duration more the leases might have expired, so the retry comes soon.
            pause = min(pause, Self.retryPause)
        }
        if !drained.isEmpty { pause = min(pause, Self.releasePause) }
        // Standby began in the middle of this round, which has entered this keeper once more.
        if isStandby, let share { await release([.keeper(of: share.kind, instance)]) }
        reportHeld()
        return max(pause, Self.expiryMargin)
    }

    /// Adds to the names the shared leases to hold.
    /// - Returns: the names, and the rows of other processes' leases that may become free.
    private func withShare(_ names: Set<LeaseName>) async throws -> (Set<LeaseName>, [LeaseShares.Row]) {
        guard let share else { return (names, []) }
        let keepers = try await store.join(share.kind, instance: instance, holder: holder, duration: duration)
        let rows = try await store.read(share.names)
        let plan = LeaseShares(share.names, rows: rows, members: Set(keepers.map(\.instance)), instance: instance)
        // Leases whose release failed are still in the table as ours, and are drained already.
        let excess = plan.release.filter { !drained.contains($0) }
        if !excess.isEmpty, draining.isEmpty {
            draining = Set(excess)
            Task { self.end(excess, await share.drain(excess)) }
        }
        let ours = rows.filter { $0.instance == instance }.map(\.name)
        return (names.union(ours).union(plan.acquire), (rows + keepers).filter { $0.instance != instance })
    }

    private func end(_ asked: [LeaseName], _ ended: [LeaseName]) {
        draining.subtract(asked)
        drained.formUnion(ended)
        beginRound.yield()
    }

    /// Releases drained leases. It runs within a round, so none of them is being renewed at the same time.
    private func releaseDrained() async {
        let names = drained
        let ours = Array(names.filter { held.removeValue(forKey: $0) != nil })
        metrics.released(ours)
        // A lease that expired meanwhile and has another holder is skipped by the statement.
        if await release(names, isFirstTry: !ours.isEmpty) { drained.subtract(names) }
    }

    /// Releases leases in the table.
    /// - Returns: whether the database did so; a lease that has another holder by then counts.
    @discardableResult
    private func release(_ names: some Collection<LeaseName>, isFirstTry: Bool = true) async -> Bool {
        do { try await store.release(Array(names), holder: holder) } catch {
            // The leases expire by themselves.
            if isFirstTry { logger.warning("Leases could not be released", metadata: ["error": "\(error)"]) }
            return false
        }
        return true
    }

    private func releaseAll() async {
        isOver = true
        var ours = Array(drained.union(held.keys))
        if let share { ours.append(.keeper(of: share.kind, instance)) }
        held = [:]
        reportHeld()
        wanted = []
        share = nil
        guard isReachable, !ours.isEmpty else { return }
        // These tasks are independent, because the present task is cancelled.
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        Task { [store, holder, ours] in
            try? await store.release(ours, holder: holder)
            end.finish()
        }
        Task {
            try? await Task.sleep(for: Self.releaseMax)
            end.finish()
        }
        await Task { for await _ in ended {} }.value
    }

    private func note(_ leases: [Lease], of names: [LeaseName]) {
        let ours = Dictionary(uniqueKeysWithValues: leases.map { ($0.name, $0) })
        var forgotten: [LeaseName] = []
        for name in names {
            let now = ours[name]
            guard !isStandby, wanted.contains(name) || share?.names.contains(name) == true else {
                // The lease was forgotten while the statement was in flight.
                if now != nil { forgotten.append(name) }
                continue
            }
            let before = held[name]
            held[name] = now
            if let now, before?.epoch != now.epoch {
                metrics.acquired(name)
                if let before {
                    // Our lease expired while the database was away, or another process runs under our instance name.
                    metrics.lost(name)
                    logger.warning(
                        "Lease was another's meanwhile, or had run out",
                        metadata: ["lease": "\(name)", "epoch": "\(before.epoch)", "now": "\(now.epoch)"])
                }
                logger.debug("Lease acquired", metadata: ["lease": "\(name)", "epoch": "\(now.epoch)"])
            } else if before != nil, now == nil {
                metrics.lost(name)
                logger.warning("Lease lost", metadata: ["lease": "\(name)"])
            }
            if let now, let continuations = waiting.removeValue(forKey: name) {
                continuations.values.forEach { $0.resume(returning: now) }
            }
        }
        reportHeld()
        if !forgotten.isEmpty { Task { [forgotten] in await release(forgotten) } }
    }

    private func reportHeld() { metrics.held(leases.map(\.name)) }

    private func stopWaiting(_ name: LeaseName, _ id: UInt64) {
        waiting[name]?.removeValue(forKey: id)?.resume(returning: nil)
    }
}
