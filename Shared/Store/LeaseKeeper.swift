public import Logging

/// Keeps a set of leases for one process: takes what is free, renews every third of the duration, lets go at the end.
public actor LeaseKeeper {
    /// The last release waits no longer for the database: whoever ends has five seconds in all, and a lease expires by
    /// itself.
    static let releaseMax = Duration.seconds(1)

    private let store: LeaseStore
    private let holder: String
    private let duration: Duration
    private let logger: Logger

    private var wanted: Set<LeaseName> = []
    private var held: [LeaseName: Lease] = [:]
    private var isReachable = true
    private var waiting: [LeaseName: [UInt64: CheckedContinuation<Lease?, Never>]] = [:]
    private var nextWaiting: UInt64 = 0

    /// - Parameters:
    ///   - instance: the process's instance name; no two living processes have the same.
    ///   - duration: how long a lease lasts without renewal (`LEASE_DURATION`).
    public init(store: LeaseStore, instance: String, duration: Duration = .seconds(8), logger: Logger) {
        self.store = store
        self.holder = LeaseStore.holder(instance: instance)
        self.duration = duration
        self.logger = logger
    }

    /// Adds to what is kept; taken at the next round, or at once with `acquireNow`.
    public func want(_ names: some Sequence<LeaseName>) { wanted.formUnion(names) }

    /// No longer keeps these, and lets go of those that are ours.
    public func forget(_ names: some Sequence<LeaseName>) async {
        wanted.subtract(names)
        let ours = names.filter { held.removeValue(forKey: $0) != nil }
        do { try await store.release(ours, holder: holder) } catch {
            // They expire by themselves.
            logger.warning("Leases could not be released", metadata: ["error": "\(error)"])
        }
    }

    /// The lease if it is ours and still trusted.
    public func lease(for name: LeaseName) -> Lease? {
        guard let lease = held[name], lease.isTrusted else { return nil }
        return lease
    }

    /// All leases that are ours and still trusted.
    public var leases: [Lease] { held.values.filter(\.isTrusted) }

    /// Tries for one lease at once, and keeps it from then on.
    /// - Returns: nil when another process has it.
    public func acquireNow(_ name: LeaseName) async throws -> Lease? {
        if let lease = lease(for: name) { return lease }
        wanted.insert(name)
        note(try await store.acquire([name], holder: holder, duration: duration), of: [name])
        return lease(for: name)
    }

    /// Waits until the lease is ours; nil when the task is cancelled. Needs `run` beside it.
    public func waitForLease(_ name: LeaseName) async -> Lease? {
        if Task.isCancelled { return nil }
        if let lease = lease(for: name) { return lease }
        wanted.insert(name)
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

    /// Until cancelled: keeps the leases. Afterwards they are free for others.
    public func run() async {
        while !Task.isCancelled {
            await renew()
            try? await Task.sleep(for: duration / 3)
        }
        let ours = Array(held.keys)
        held = [:]
        wanted = []
        guard isReachable, !ours.isEmpty else { return }
        // In tasks of their own, since this one is cancelled.
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        Task { [store, holder] in
            try? await store.release(ours, holder: holder)
            end.finish()
        }
        Task {
            try? await Task.sleep(for: Self.releaseMax)
            end.finish()
        }
        await Task { for await _ in ended {} }.value
    }

    private func renew() async {
        let names = Array(wanted)
        do {
            note(try await store.acquire(names, holder: holder, duration: duration), of: names)
            if !isReachable { logger.info("Leases are renewed again") }
            isReachable = true
        } catch {
            if isReachable, !Task.isCancelled {
                logger.warning("Leases could not be renewed", metadata: ["error": "\(error)"])
            }
            isReachable = false
        }
    }

    private func note(_ leases: [Lease], of names: [LeaseName]) {
        let ours = Dictionary(uniqueKeysWithValues: leases.map { ($0.name, $0) })
        for name in names {
            // Forgotten while the statement was under way: it expires by itself.
            guard wanted.contains(name) else { continue }
            let before = held[name]
            let now = ours[name]
            held[name] = now
            if let now, before?.epoch != now.epoch {
                logger.debug("Lease taken", metadata: ["lease": "\(name)", "epoch": "\(now.epoch)"])
            } else if before != nil, now == nil {
                logger.warning("Lease lost", metadata: ["lease": "\(name)"])
            }
            if let now, let continuations = waiting.removeValue(forKey: name) {
                continuations.values.forEach { $0.resume(returning: now) }
            }
        }
    }

    private func stopWaiting(_ name: LeaseName, _ id: UInt64) {
        waiting[name]?.removeValue(forKey: id)?.resume(returning: nil)
    }
}
