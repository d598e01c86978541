public import Logging
import Postgres

/// Keeps a set of leases for one process: takes what is free, renews every third of the duration, lets go at the end.
///
/// Leases that many processes want alike (shards, poll groups) are shared: each keeps its part, and hands some over when
/// another comes.
public actor LeaseKeeper {
    /// The last release waits no longer for the database: whoever ends has five seconds in all, and a lease expires by
    /// itself.
    static let releaseMax = Duration.seconds(1)
    /// After the moment when a lease expires.
    private static let expiryMargin = Duration.milliseconds(20)
    /// Between tries to release what nobody works on any more.
    private static let releasePause = Duration.milliseconds(500)
    /// After a round that PostgreSQL did not answer.
    private static let retryPause = Duration.milliseconds(100)

    private struct Share {
        var kind: String
        var names: [LeaseName]
        /// Ends the work on these.
        /// - Returns: those that may be another's now.
        var letGo: @Sendable ([LeaseName]) async -> [LeaseName]
    }

    private let store: LeaseStore
    private let instance: String
    private let holder: String
    private let duration: Duration
    private let logger: Logger

    private var wanted: Set<LeaseName> = []
    private var share: Share?
    /// Shared ones whose work is being ended.
    private var leaving: Set<LeaseName> = []
    /// Their work is ended: they are released in the next round, and again until that has succeeded. Till then they are
    /// not renewed: under its old epoch a lease is not worked on again.
    private var left: Set<LeaseName> = []
    private var held: [LeaseName: Lease] = [:]
    private var isReachable = true
    /// All is let go, and nothing is taken any more.
    private var isOver = false
    private var isAside = false
    private var metrics = LeaseMetrics()
    private var waiting: [LeaseName: [UInt64: CheckedContinuation<Lease?, Never>]] = [:]
    private var nextWaiting: UInt64 = 0
    private nonisolated let rounds: AsyncStream<Void>
    private nonisolated let beginRound: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - instance: the process's instance name; no two living processes have the same.
    ///   - duration: how long a lease lasts without renewal (`LEASE_DURATION`).
    public init(store: LeaseStore, instance: String, duration: Duration = .seconds(8), logger: Logger) {
        self.store = store
        self.instance = instance
        self.holder = LeaseStore.holder(instance: instance)
        self.duration = duration
        self.logger = logger
        (rounds, beginRound) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds to what is kept; taken at the next round, or at once with `acquireNow`.
    public func want(_ names: some Sequence<LeaseName>) {
        guard !isOver else { return }
        wanted.formUnion(names)
        metrics.wanted(names)
    }

    /// Keeps as many of these as every other process that shares them, or one more. Called before `run`.
    ///
    /// - Parameters:
    ///   - kind: what the names of such leases begin with ("shard").
    ///   - letGo: called when others are to have some: ends the work on them, within seconds, and returns those on which
    ///     it is ended. They are still ours and renewed meanwhile.
    public func share(
        _ names: [LeaseName], of kind: String,
        letGo: @escaping @Sendable ([LeaseName]) async -> [LeaseName] = { $0 }
    ) {
        share = Share(kind: kind, names: names, letGo: letGo)
        metrics.wanted(names)
    }

    /// No longer keeps these, and lets go of those that are ours.
    public func forget(_ names: some Sequence<LeaseName>) async {
        wanted.subtract(names)
        let ours = names.filter { held.removeValue(forKey: $0) != nil }
        metrics.handedOver(ours)
        reportHeld()
        await release(ours)
    }

    /// While there is no use for them: lets go of all, and takes none until there is. Others hear of it.
    public func standAside(_ isAside: Bool) async {
        self.isAside = isAside
        guard isAside else {
            beginRound.yield()
            return
        }
        var ours = Array(held.keys)
        held = [:]
        metrics.handedOver(ours)
        reportHeld()
        if let share { ours.append(.keeper(of: share.kind, instance)) }
        await release(ours)
    }

    /// The lease if it is ours and still trusted.
    public func lease(for name: LeaseName) -> Lease? {
        guard let lease = held[name], lease.isTrusted else { return nil }
        return lease
    }

    /// All leases that are ours and still trusted.
    public var leases: [Lease] { held.values.filter(\.isTrusted) }

    /// Tries for one lease at once, and keeps it from then on. Its holder learns that it is asked for (`Lease.askedAt`).
    /// - Returns: nil when another process has it, or is to have it because this one ends.
    public func acquireNow(_ name: LeaseName) async throws -> Lease? {
        if let lease = lease(for: name) { return lease }
        guard !isOver, !isAside, !left.contains(name) else { return nil }
        want([name])
        note(try await store.acquire([name], holder: holder, duration: duration), of: [name])
        let lease = lease(for: name)
        if lease == nil, !isOver { try await store.ask(for: name) }
        return lease
    }

    /// Waits until the lease is ours; nil when the task is cancelled. Needs `run` beside it.
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

    /// Until cancelled: keeps the leases. Afterwards they are free for others, who hear of it, and none is taken again.
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

    /// Another process that lets go may do this one a favour.
    private var hasUseForMore: Bool { share != nil || wanted.contains { held[$0] == nil } }

    /// - Returns: how long until the next round.
    private func renew() async -> Duration {
        var pause = duration / 3
        if isAside { return pause }
        do {
            await releaseLeft()
            let others: [LeaseShares.Row]
            var names = wanted
            (names, others) = try await withShare(names)
            names.subtract(left)
            note(try await store.acquire(Array(names), holder: holder, duration: duration), of: Array(names))
            if !isReachable { logger.info("Leases are renewed again") }
            isReachable = true
            // One that expires is taken at that moment.
            let missing = wanted.filter { held[$0] == nil }
            let rows = missing.isEmpty ? others : try await store.look(at: missing) + others
            if let left = rows.map(\.left).min() { pause = min(pause, .seconds(left) + Self.expiryMargin) }
        } catch {
            if isReachable, !Task.isCancelled {
                logger.warning("Leases could not be renewed", metadata: ["error": "\(error)"])
            }
            isReachable = false
            // A third of the time later it might be over with the leases.
            pause = min(pause, Self.retryPause)
        }
        if !left.isEmpty { pause = min(pause, Self.releasePause) }
        // It was told to in the middle of this round, which has joined the others once more.
        if isAside, let share { await release([.keeper(of: share.kind, instance)]) }
        reportHeld()
        return max(pause, Self.expiryMargin)
    }

    /// Adds what is to be had of the shared ones to the names.
    /// - Returns: also the rows of others that may become free.
    private func withShare(_ names: Set<LeaseName>) async throws -> (Set<LeaseName>, [LeaseShares.Row]) {
        guard let share else { return (names, []) }
        let keepers = try await store.join(share.kind, instance: instance, holder: holder, duration: duration)
        let rows = try await store.look(at: share.names)
        let plan = LeaseShares(share.names, rows: rows, members: Set(keepers.map(\.instance)), instance: instance)
        // What could not be released is among those that are too many.
        let letGo = plan.letGo.filter { !left.contains($0) }
        if !letGo.isEmpty, leaving.isEmpty {
            leaving = Set(letGo)
            Task { self.end(letGo, await share.letGo(letGo)) }
        }
        let ours = rows.filter { $0.instance == instance }.map(\.name)
        return (names.union(ours).union(plan.take), (rows + keepers).filter { $0.instance != instance })
    }

    private func end(_ leaving: [LeaseName], _ ended: [LeaseName]) {
        self.leaving.subtract(leaving)
        left.formUnion(ended)
        beginRound.yield()
    }

    /// In a round of its own turn: none of them is being renewed at the same time.
    private func releaseLeft() async {
        let names = left
        let ours = Array(names.filter { held.removeValue(forKey: $0) != nil })
        metrics.handedOver(ours)
        // One that has run out meanwhile, and is another's, is passed over.
        if await release(names, isFirstTry: !ours.isEmpty) { left.subtract(names) }
    }

    /// - Returns: whether they are free now, or another's.
    @discardableResult
    private func release(_ names: some Collection<LeaseName>, isFirstTry: Bool = true) async -> Bool {
        do { try await store.release(Array(names), holder: holder) } catch {
            // They expire by themselves.
            if isFirstTry { logger.warning("Leases could not be released", metadata: ["error": "\(error)"]) }
            return false
        }
        return true
    }

    private func releaseAll() async {
        isOver = true
        var ours = Array(left.union(held.keys))
        if let share { ours.append(.keeper(of: share.kind, instance)) }
        held = [:]
        reportHeld()
        wanted = []
        share = nil
        guard isReachable, !ours.isEmpty else { return }
        // In tasks of their own, since this one is cancelled.
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
            guard !isAside, wanted.contains(name) || share?.names.contains(name) == true else {
                // Forgotten while the statement was under way.
                if now != nil { forgotten.append(name) }
                continue
            }
            let before = held[name]
            held[name] = now
            if let now, before?.epoch != now.epoch {
                metrics.taken(name)
                if let before {
                    // Ours ran out while the database was away; or another process goes by our name.
                    metrics.lost(name)
                    logger.warning(
                        "Lease was another's meanwhile, or had run out",
                        metadata: ["lease": "\(name)", "epoch": "\(before.epoch)", "now": "\(now.epoch)"])
                }
                logger.debug("Lease taken", metadata: ["lease": "\(name)", "epoch": "\(now.epoch)"])
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
