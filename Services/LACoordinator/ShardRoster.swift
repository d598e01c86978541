import Reactor
import ServiceKit
import Activities
import FanOut
import Logging
import SightscreenModels
import Store

/// A shard that this process works on.
struct HeldShard: Sendable {
    var hold: ShardHold
    /// Asked for each push.
    let trust: ShardTrust
}

/// The shards that this process holds, and their activities as the loops have them: taken over, kept up with the table, handed over.
actor ShardRoster {
    /// Up to where the table is known.
    private struct Reading {
        var cursor: String?
        /// What changes said of while shards were taken over: it is newer than what the pages of these shards say.
        var changedMeanwhile: Set<ActivityKey> = []
        var at = ContinuousClock.now
        /// Shards that are being taken over.
        var gained: [Int: HeldShard] = [:]
        /// When what goes on meanwhile last had its turn.
        var wentOnAt = ContinuousClock.now
    }

    /// An alert whose claim is taken is told within this time, or the shard stays for now.
    private static let handoverMax = Duration.seconds(3)
    private static let meanwhileInterval = Duration.milliseconds(250)

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let freezes: FreezeWatch
    private let startGates: StartGates
    private let logger: Logger
    private let leases: @Sendable () async -> [ShardHold]
    /// Those whose activities are all in the loops.
    private(set) var held: [Int: HeldShard] = [:]
    /// The same, and those whose activities are still being read: these have alerts to claim, too.
    private(set) var proofs: [Int: ShardHold] = [:]
    private var reading = Reading()
    /// The epochs of shards that were handed over, until their leases are gone.
    private var leaving: [Int: Int64] = [:]
    private var isStopping = false

    /// - Parameter leases: the shards this process holds now, with the proof.
    init(
        store: ActivityStore, fanOut: FanOutLoops, freezes: FreezeWatch, startGates: StartGates, logger: Logger,
        leases: @escaping @Sendable () async -> [ShardHold]
    ) {
        self.store = store
        self.fanOut = fanOut
        self.freezes = freezes
        self.startGates = startGates
        self.logger = logger
        self.leases = leases
    }

    var cursor: String? { reading.cursor }

    /// Brings shards and activities to what the leases and the table say.
    /// - Parameters:
    ///   - clock: the database's.
    ///   - meanwhile: called now and then, with the shards that were held before, while others are taken over: who unfollows there has
    ///     the end within two seconds.
    func update(clock: DatabaseClock, meanwhile: @Sendable ([Int: HeldShard]) async -> Void) async throws {
        try await updateShards(clock, meanwhile)
        try await readChanges(clock)
    }

    /// What is known must not become too old while something else takes its time.
    func readChanges(after age: Duration, clock: DatabaseClock) async throws {
        if .now - reading.at > age { try await readChanges(clock) }
    }

    /// Extends the trust in leases that were renewed: a pass may take longer than a lease is trusted.
    @Sendable func extendTrusts() async {
        for hold in await leases() {
            guard let trust = (held[hold.shard] ?? reading.gained[hold.shard])?.trust, trust.epoch == hold.epoch else {
                continue
            }
            trust.extend(to: hold.trustUntil)
        }
    }

    /// Nothing is sent any more.
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
        leaving = leaving.filter { now[$0]?.epoch == $1 }
        for (shard, known) in held where now[shard]?.epoch != known.hold.epoch { await lose(shard) }
        let news = now.values.filter { held[$0.shard] == nil && leaving[$0.shard] != $0.epoch }
        for (shard, hold) in now {
            held[shard]?.hold = hold
            held[shard]?.trust.extend(to: hold.trustUntil)
        }
        if !news.isEmpty { try await takeOver(news, clock, meanwhile) }
    }

    private func takeOver(
        _ holds: [ShardHold], _ clock: DatabaseClock, _ meanwhile: @Sendable ([Int: HeldShard]) async -> Void
    ) async throws {
        let shards = holds.map(\.shard)
        let progress = try await store.progress(shards: shards)
        defer { (reading.gained, reading.changedMeanwhile) = ([:], []) }
        for hold in holds {
            let trust = ShardTrust(freezes, epoch: hold.epoch)
            trust.extend(to: hold.trustUntil)
            reading.gained[hold.shard] = HeldShard(hold: hold, trust: trust)
            await fanOut.on(hold.shard) { $0.hold(hold.shard, trust, isComplete: false) }
        }
        var count = 0
        do {
            // From here on their changes are read with those of the others.
            if held.isEmpty { reading.cursor = try await store.cursor() }
            // What goes out meanwhile must not be too old, of what was held before or of what has just been read.
            func goOn() async throws {
                guard .now - reading.wentOnAt > Self.meanwhileInterval else { return }
                try await readChanges(clock, and: shards, progress)
                if !held.isEmpty { await meanwhile(held) }
                reading.wentOnAt = .now
            }
            try await store.roster(shards: shards, meanwhile: goOn) { records in
                count += records.count
                await take(records, clock, progress: progress, except: reading.changedMeanwhile)
                try await goOn()
            }
        } catch {
            // What was read in part would be as old as that at the next try.
            for shard in reading.gained.values { await forget(shard) }
            throw error
        }
        held.merge(reading.gained) { $1 }
        await fanOut.onEach { $0.complete(shards) }
        if count > 0 {
            logger.info("Took over activities", metadata: ["shards": "\(shards.count)", "activities": "\(count)"])
        }
    }

    /// A shard is another's, or is to be read anew.
    func lose(_ shard: Int) async { if let lost = held.removeValue(forKey: shard) { await forget(lost) } }

    private func forget(_ shard: HeldShard) async {
        shard.trust.end()
        await fanOut.on(shard.hold.shard) { $0.lose(shard.hold.shard) }
    }

    /// Ends the work on shards that another one is to have: tells the alerts that only this process can tell, waits for
    /// the answers, and has it written down how far the phones are.
    ///
    /// - Returns: those on which it is ended. From then on they are not taken up again under the same lease.
    func letGo(
        _ shards: [Int], noteProgress: @Sendable ([Int: HeldShard]) async -> Void
    ) async -> [Int] {
        // What is still being taken over goes another time.
        var busy = shards.filter { held[$0] != nil }
        for shard in busy { await fanOut.on(shard) { $0.close(shard) } }
        let deadline = ContinuousClock.now + Self.handoverMax
        var ended: [Int] = []
        while !busy.isEmpty, .now < deadline, !isStopping {
            var idle: [Int] = []
            for shard in busy where await fanOut.on(shard, { !$0.isBusy(shard) }) { idle.append(shard) }
            // What is not written down the next one repeats.
            if !idle.isEmpty { await noteProgress(held) }
            // One that was lost meanwhile may be on its way back to us: it goes another time.
            for shard in idle where held[shard] != nil {
                leaving[shard] = held[shard]?.hold.epoch
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
    ///   - gained: shards that are being taken over.
    ///   - progress: how far their buckets are settled.
    func readChanges(
        _ clock: DatabaseClock, and gained: [Int] = [], _ progress: [MatchID: [Int: BucketProgress]] = [:]
    ) async throws {
        let mark = freezes.mark()
        let shards = held.keys + gained
        if let cursor = reading.cursor, !shards.isEmpty {
            reading.cursor = try await store.changes(since: cursor, shards: shards) { records in
                if !gained.isEmpty { for record in records { reading.changedMeanwhile.insert(record.key) } }
                await take(records, clock, progress: progress)
            }
        }
        freezes.noteRead(.activities, since: mark)
        reading.at = .now
    }

    /// Takes in rows as they are now; most have not changed since they were last read.
    /// - Parameters:
    ///   - progress: how far their buckets are settled, when the shards were just taken over.
    ///   - known: those of which something newer is known.
    private func take(
        _ records: [ActivityRecord], _ clock: DatabaseClock, progress: [MatchID: [Int: BucketProgress]],
        except known: Set<ActivityKey> = []
    ) async {
        startGates.close(for: records)
        let news = await RosterNews(records, progress: progress, now: clock.now, except: known)
        if !news.gone.isEmpty { await fanOut.remove(news.gone) }
        if !news.entries.isEmpty { await fanOut.take(news.entries) }
    }
}
