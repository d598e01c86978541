import Reactor
import ServiceKit
import Activities
import FanOut
import Logging
import SightscreenModels
import Store

/// A shard that this process holds and works on.
struct HeldShard: Sendable {
    var lease: ShardLease
    /// Consulted before each push.
    let trust: ShardTrust
}

/// The shards that this process holds, and their activities as the loops have them. It takes shards over, keeps their
/// activities up to date with the table, and hands shards over.
actor ShardRoster {
    /// How far the table has been read.
    private struct Reading {
        var cursor: String?
        /// Activities whose changes were read during a takeover; these are newer than the pages of the shards.
        var changedMeanwhile: Set<ActivityKey> = []
        var at = ContinuousClock.now
        /// Shards that are being taken over.
        var gained: [Int: HeldShard] = [:]
        /// When `meanwhile` was last called.
        var meanwhileAt = ContinuousClock.now
    }
    /// How long a release waits for the alerts that this process has claimed; after that the shard is kept for now.
    private static let handoverMax = Duration.seconds(3)
    private static let meanwhileInterval = Duration.milliseconds(250)

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let stalls: StallDetector
    private let startGates: StartGates
    private let logger: Logger
    private let leases: @Sendable () async -> [ShardLease]
    /// The shards whose activities are all in the loops.
    private(set) var held: [Int: HeldShard] = [:]
    /// The leases of all our shards, including those whose activities are still being read, which have alerts to claim,
    /// too.
    private(set) var proofs: [Int: ShardLease] = [:]
    private var reading = Reading()
    /// The epochs of shards that were handed over, kept until their leases are gone.
    private var released: [Int: Int64] = [:]
    private var isStopping = false

    /// - Parameter leases: returns the leases that this process holds now.
    init(
        store: ActivityStore, fanOut: FanOutLoops, stalls: StallDetector, startGates: StartGates, logger: Logger,
        leases: @escaping @Sendable () async -> [ShardLease]
    ) {
        self.store = store
        self.fanOut = fanOut
        self.stalls = stalls
        self.startGates = startGates
        self.logger = logger
        self.leases = leases
    }

    var cursor: String? { reading.cursor }

    /// Brings the shards in line with the leases, and the activities with the table.
    /// - Parameters:
    ///   - clock: the database's clock.
    ///   - meanwhile: called at intervals during a takeover with the shards that were held before it, so that an
    ///     unfollow there has its end within two seconds.
    func update(clock: DatabaseClock, meanwhile: @Sendable ([Int: HeldShard]) async -> Void) async throws {
        try await updateShards(clock, meanwhile)
        try await readChanges(clock)
    }

    /// Reads changes if the last reading is older than `age`, so that what is known does not grow too old during other
    /// work.
    func readChanges(after age: Duration, clock: DatabaseClock) async throws {
        if .now - reading.at > age { try await readChanges(clock) }
    }

    /// Extends the trust in renewed leases. It is called beside the passes, because a pass may take longer than a lease
    /// is trusted.
    @Sendable func extendTrusts() async {
        for lease in await leases() {
            guard let trust = (held[lease.shard] ?? reading.gained[lease.shard])?.trust, trust.epoch == lease.epoch
            else {
                continue
            }
            trust.extend(to: lease.trustUntil)
        }
    }

    /// Ends the trust in all shards: nothing is sent any more.
    func stop() {
        isStopping = true
        for shard in held.values { shard.trust.end() }
    }

    // MARK: - Shards

    private func updateShards(_ clock: DatabaseClock, _ meanwhile: @Sendable ([Int: HeldShard]) async -> Void)
        async throws
    {
        let now = Dictionary(await leases().map { ($0.shard, $0) }) { first, _ in first }
        proofs = now
        released = released.filter { now[$0]?.epoch == $1 }
        for (shard, known) in held where now[shard]?.epoch != known.lease.epoch { await lose(shard) }
        let acquired = now.values.filter { held[$0.shard] == nil && released[$0.shard] != $0.epoch }
        for (shard, lease) in now {
            held[shard]?.lease = lease
            held[shard]?.trust.extend(to: lease.trustUntil)
        }
        if !acquired.isEmpty { try await takeOver(acquired, clock, meanwhile) }
    }

    private func takeOver(
        _ leases: [ShardLease], _ clock: DatabaseClock, _ meanwhile: @Sendable ([Int: HeldShard]) async -> Void
    ) async throws {
        let shards = leases.map(\.shard)
        let progress = try await store.progress(shards: shards)
        defer { (reading.gained, reading.changedMeanwhile) = ([:], []) }
        for lease in leases {
            let trust = ShardTrust(stalls, epoch: lease.epoch)
            trust.extend(to: lease.trustUntil)
            reading.gained[lease.shard] = HeldShard(lease: lease, trust: trust)
            await fanOut.on(lease.shard) { $0.acquire(lease.shard, trust, isComplete: false) }
        }
        var count = 0
        do {
            // From here on the changes of these shards are read with those of the others.
            if held.isEmpty { reading.cursor = try await store.cursor() }
            // Pushes go out during the takeover, to phones held before and to phones just read, and must not rest on
            // knowledge that is too old.
            func readMeanwhile() async throws {
                guard .now - reading.meanwhileAt > Self.meanwhileInterval else { return }
                try await readChanges(clock, and: shards, progress)
                if !held.isEmpty { await meanwhile(held) }
                reading.meanwhileAt = .now
            }
            try await store.roster(shards: shards, meanwhile: readMeanwhile) { records in
                count += records.count
                await apply(records, clock, progress: progress, except: reading.changedMeanwhile)
                try await readMeanwhile()
            }
        } catch {
            // A partly read shard is dropped, because its rows would be out of date at the next try.
            for shard in reading.gained.values { await forget(shard) }
            throw error
        }
        held.merge(reading.gained) { $1 }
        await fanOut.onEach { $0.complete(shards) }
        if count > 0 {
            logger.info("Took over activities", metadata: ["shards": "\(shards.count)", "activities": "\(count)"])
        }
    }
    /// Removes a shard whose lease another process has acquired, or which has to be read anew.
    func lose(_ shard: Int) async { if let lost = held.removeValue(forKey: shard) { await forget(lost) } }

    private func forget(_ shard: HeldShard) async {
        shard.trust.end()
        await fanOut.on(shard.lease.shard) { $0.lose(shard.lease.shard) }
    }

    /// Ends the work on shards that another process is to acquire: sends the alerts that this process has claimed,
    /// waits for the answers, and has the progress of the phones written.
    ///
    /// - Returns: the shards on which work has ended. They are not taken up again under the same lease.
    func release(
        _ shards: [Int], noteProgress: @Sendable ([Int: HeldShard]) async -> Void
    ) async -> [Int] {
        // A shard that is still being taken over is not in `held` yet, and is released another time.
        var busy = shards.filter { held[$0] != nil }
        for shard in busy { await fanOut.on(shard) { $0.close(shard) } }
        let deadline = ContinuousClock.now + Self.handoverMax
        var ended: [Int] = []
        while !busy.isEmpty, .now < deadline, !isStopping {
            var idle: [Int] = []
            for shard in busy where await fanOut.on(shard, { !$0.isBusy(shard) }) { idle.append(shard) }
            // The next process repeats every state whose delivery is not recorded.
            if !idle.isEmpty { await noteProgress(held) }
            // A shard that was lost meanwhile may be coming back to this process, and is released another time.
            for shard in idle where held[shard] != nil {
                released[shard] = held[shard]?.lease.epoch
                await lose(shard)
                ended.append(shard)
            }
            busy.removeAll { held[$0] == nil }
            if !busy.isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
        }
        for shard in busy { await fanOut.on(shard) { $0.reopen(shard) } }
        if !ended.isEmpty { logger.info("Handed over shards", metadata: ["shards": "\(ended.count)"]) }
        return ended
    }

    // MARK: - Activities

    /// - Parameters:
    ///   - gained: shards that are being taken over, whose changes are read, too.
    ///   - progress: how far their buckets are settled.
    func readChanges(
        _ clock: DatabaseClock, and gained: [Int] = [], _ progress: [MatchID: [Int: BucketProgress]] = [:]
    ) async throws {
        let mark = stalls.mark()
        let shards = held.keys + gained
        if let cursor = reading.cursor, !shards.isEmpty {
            reading.cursor = try await store.changes(since: cursor, shards: shards) { records in
                if !gained.isEmpty { for record in records { reading.changedMeanwhile.insert(record.key) } }
                await apply(records, clock, progress: progress)
            }
        }
        stalls.noteRead(.activities, since: mark)
        reading.at = .now
    }

    /// Applies rows as they are now to the loops; most have not changed since they were last read.
    /// - Parameters:
    ///   - progress: how far their buckets are settled, when the shards were just taken over.
    ///   - known: activities of which something newer is known; their records are skipped.
    private func apply(
        _ records: [ActivityRecord], _ clock: DatabaseClock, progress: [MatchID: [Int: BucketProgress]],
        except known: Set<ActivityKey> = []
    ) async {
        startGates.close(for: records)
        let changes = await RosterChanges(records, progress: progress, now: clock.now, except: known)
        if !changes.gone.isEmpty { await fanOut.remove(changes.gone) }
        if !changes.entries.isEmpty { await fanOut.add(changes.entries) }
    }
}
