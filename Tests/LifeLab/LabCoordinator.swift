import Activities
import SightscreenModels

/// A coordinator: claims in the database, what it remembers in memory, pushes to APNs. A crash takes the memory.
final class LabCoordinator {
    struct RowKey: Hashable, Comparable {
        var life: LifeKey
        var generation: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.life, left.generation) < (right.life, right.generation)
        }
    }

    final class Row {
        let token: UpdateToken
        let tokenAt: Int
        var convergence = ActivityConvergence()
        var isNew = true
        var isDropped = false
        var retryAt = 0
        var failures = 0
        var repeatsQuietly = false
        /// The newest alert that the phone was told, or that was lost on the way to it.
        var alertedThrough = 0
        /// The version behind each stamp that was sent.
        var versionSent = 0

        init(token: UpdateToken, tokenAt: Int) {
            self.token = token
            self.tokenAt = tokenAt
        }
    }

    struct Fresh {
        var stamp: Int
        var version: Int
        var at: Int
    }

    unowned let world: World
    let number: Int
    private(set) var isUp = true
    private(set) var incarnation = 0
    private(set) var pausedUntil = 0
    /// Shard → epoch, as far as it knows.
    private(set) var held: [Int: Int]
    var rows: [RowKey: Row] = [:]
    var fresh: [Int: Fresh] = [:]
    /// Pushes under way, by token.
    var busy: [UpdateToken: Int] = [:]
    var endsWaiting: [UpdateToken: LabPush] = [:]
    var claimedHere: Set<LabDatabase.Claim> = []
    private var lookAt = Int.max
    /// Seconds in which it looks again.
    private var later: Set<Int> = []

    /// How long a shard stays with a holder that says nothing, and how long what that holder has read is good for.
    static let lease = 8_000
    static let trust = 1_500

    init(_ world: World, _ number: Int) {
        self.world = world
        self.number = number
        held = [number: 1]
    }

    // MARK: - Life and death

    /// Runs later in this life of the process; while it is paused nothing runs.
    func after(_ wait: Int, _ body: @escaping () -> Void) {
        let mine = incarnation
        world.after(wait) { [unowned self] in run(mine, body) }
    }

    private func run(_ mine: Int, _ body: @escaping () -> Void) {
        guard mine == incarnation, isUp else { return }
        guard world.now >= pausedUntil else {
            return world.at(pausedUntil) { [unowned self] in run(mine, body) }
        }
        body()
    }

    func crash(for wait: Int) {
        world.note("coordinator \(number) crashes")
        world.noteFault(until: world.now + wait + Self.lease)
        forget()
        isUp = false
        let shards = world.database.shards.indices.filter { world.database.shards[$0].holder == number }
        letGo(shards)
        let mine = incarnation
        world.after(wait) { [unowned self] in
            guard mine == incarnation else { return }
            isUp = true
            for shard in shards where world.database.shards[shard].holder == number { take(shard) }
            ring()
        }
    }

    func pause(for wait: Int) {
        world.note("coordinator \(number) is paused for \(wait) ms")
        world.noteFault(until: world.now + wait + Self.lease)
        trustUntil = min(trustUntil, world.now + Self.trust)
        pausedUntil = max(pausedUntil, world.now + wait)
        letGo(world.database.shards.indices.filter { world.database.shards[$0].holder == number })
        let mine = incarnation
        world.at(pausedUntil + 300) { [unowned self] in
            guard mine == incarnation, world.now >= pausedUntil else { return }
            // It finds out what it still holds.
            trustUntil = .max
            for (shard, epoch) in held where world.database.shards[shard].epoch != epoch { lose(shard) }
            ring()
        }
    }

    private var trustUntil = Int.max

    /// Somebody else takes the shards when their leases are over.
    private func letGo(_ shards: [Int]) {
        let other = world.coordinators[1 - number]
        world.after(Self.lease + world.random.below(1_000)) { [unowned self] in
            for shard in shards where world.database.shards[shard].holder == number {
                guard !isUp || world.now < pausedUntil, other.isUp, world.now >= other.pausedUntil else { continue }
                other.take(shard)
            }
        }
    }

    private func take(_ shard: Int) {
        world.database.takeShard(shard, by: number)
        held[shard] = world.database.shards[shard].epoch
        ring()
    }

    private func lose(_ shard: Int) {
        held[shard] = nil
        for (key, row) in rows where key.life.user % 2 == shard {
            row.isDropped = true
            rows[key] = nil
        }
    }

    private func forget() {
        incarnation += 1
        held = [:]
        rows = [:]
        fresh = [:]
        busy = [:]
        endsWaiting = [:]
        claimedHere = []
        lookAt = .max
        later = []
        pausedUntil = 0
        trustUntil = .max
    }

    /// Whether it may act for a user, as far as it knows at this instant.
    func trusts(_ key: LifeKey) -> Bool {
        if world.bug == .pausedSenderTrustsOn { return held[key.user % 2] != nil }
        return held[key.user % 2] != nil && world.now < trustUntil
    }

    /// The database's word: writes of a holder that has lost the shard have no effect.
    func holds(_ key: LifeKey) -> Bool {
        held[key.user % 2] == world.database.shards[key.user % 2].epoch
    }

    // MARK: - Looking

    /// Something changed: a doorbell, or if that is lost the timer.
    func ring() {
        let wait = world.fault(world.faults.doorbellLost) ? 300 + world.random.below(500) : 5 + world.random.below(60)
        look(in: wait)
    }

    func look(in wait: Int) {
        guard isUp else { return }
        let at = world.now + wait
        if at < lookAt { return plan(at) }
        // One comes before; this one is for something that is not due then.
        guard later.insert(at / 1_000).inserted else { return }
        after(wait) { [unowned self] in
            later.remove(at / 1_000)
            if world.now < lookAt { plan(world.now) }
        }
    }

    private func plan(_ at: Int) {
        lookAt = at
        after(at - world.now) { [unowned self] in
            guard lookAt <= world.now else { return }
            lookAt = .max
            look()
        }
    }

    private func look() {
        guard world.database.isUp else { return look(in: 500) }
        for shard in held.keys.sorted() where world.database.shards[shard].epoch != held[shard] {
            lose(shard)
        }
        readRoster()
        for key in world.database.keys where trusts(key) && holds(key) {
            sendEnds(key)
            sendStart(key)
        }
        for key in rows.keys.sorted() { advance(key) }
    }

    /// What is active in the database against what is known here.
    private func readRoster() {
        for key in world.database.keys where held[key.user % 2] != nil {
            let current = world.database.lives[key]?.current
            for (rowKey, row) in rows where rowKey.life == key {
                let isSame = current?.number == rowKey.generation && current?.status == .active
                if isSame, current?.token == row.token || world.bug == .rotationIsIgnored { continue }
                if !isSame, world.bug == .endedRowsGoOn { continue }
                row.isDropped = true
                rows[rowKey] = nil
            }
            guard let current, current.status == .active, let token = current.token else { continue }
            let rowKey = RowKey(life: key, generation: current.number)
            guard rows[rowKey] == nil else { continue }
            let row = Row(token: token, tokenAt: current.tokenAt?.milliseconds ?? 0)
            if world.bug == .tokensGetNoState { row.convergence = ActivityConvergence(delivered: Stamp(.max)) }
            rows[rowKey] = row
        }
    }
}
