import NIOConcurrencyHelpers

/// Counts requests against their limits, from all threads. It is told the time, in nanoseconds of a clock that does not
/// go back, and holds a bounded number of buckets: some 10 MB when it is full.
///
/// It is this process's own: it needs no database, and cannot fail but by being full (`RateLimit.WhenFull`). What it knew
/// is gone when the process is, and everybody begins with full buckets.
struct RateLimiter: Sendable {
    /// More callers than a gateway serves in a minute.
    static let bucketsMax = 200_000
    /// One lock each, so that threads seldom meet.
    static let shardCount = 16
    /// The part of the buckets that is kept for limits that refuse when there is no room: others cannot fill it.
    private static let reservedPart = 25

    private struct Shard: Sendable {
        var open: RateBuckets
        var reserved: RateBuckets

        /// - Returns: what `body` says, given the caller's bucket.
        mutating func with<R>(_ charge: RateCharge, _ now: Int64, _ body: (inout Int64) -> R) -> R {
            charge.limit.whenFull == .letIn
                ? Self.with(&open, charge.key, now, body) : Self.with(&reserved, charge.key, now, body)
        }

        private static func with<R>(
            _ buckets: inout RateBuckets, _ key: UInt64, _ now: Int64, _ body: (inout Int64) -> R
        ) -> R {
            let before = buckets.fullAt(key) ?? now
            var fullAt = before
            let result = body(&fullAt)
            if fullAt != before { buckets.set(key, fullAt: fullAt, now: now) }
            return result
        }

        /// How long a caller has to wait because nothing more can be remembered.
        mutating func waitForRoom(_ charge: RateCharge, _ now: Int64) -> Int64 {
            guard charge.limit.whenFull == .refuse, reserved.fullAt(charge.key) == nil else { return 0 }
            return reserved.waitForRoom(now: now)
        }
    }

    private let shards: [NIOLockedValueBox<Shard>]

    /// - Parameter bucketsMax: in all; smaller in tests.
    init(bucketsMax: Int = Self.bucketsMax, shardCount: Int = Self.shardCount) {
        let perShard = max(2, bucketsMax / shardCount)
        let reserved = max(1, perShard / Self.reservedPart)
        shards = (0..<shardCount).map { _ in
            NIOLockedValueBox(
                Shard(open: RateBuckets(max: perShard - reserved), reserved: RateBuckets(max: reserved)))
        }
    }

    /// Lets a request in if all its limits do; a request that is refused counts against none.
    func admit(_ charges: [RateCharge], now: Int64) -> RateVerdict {
        for (place, charge) in charges.enumerated() {
            let wait = shard(charge).withLockedValue { shard in
                let wait = shard.waitForRoom(charge, now)
                return wait > 0 ? wait : shard.with(charge, now) { charge.limit.take(&$0, now: now) }
            }
            guard wait > 0 else { continue }
            for taken in charges[..<place] {
                shard(taken).withLockedValue { $0.with(taken, now) { taken.limit.giveBack(&$0) } }
            }
            return RateVerdict(wait: wait, by: charge.limit.name)
        }
        return .admitted
    }

    /// As the other, for one limit.
    func admit(_ charge: RateCharge, now: Int64) -> RateVerdict { admit([charge], now: now) }

    /// Whether a request would be let in. It is not counted: this is for limits on failures, which are counted by `note`
    /// when they have happened. Requests under way at the same time may all fail, so a caller can have as many failures
    /// more than the limit says as there are threads that compare.
    func check(_ charge: RateCharge, now: Int64) -> RateVerdict {
        let wait = shard(charge).withLockedValue { shard in
            let wait = shard.waitForRoom(charge, now)
            return wait > 0 ? wait : shard.with(charge, now) { charge.limit.wait($0, now: now) }
        }
        return RateVerdict(wait: wait, by: charge.limit.name)
    }

    /// Counts a failure.
    func note(_ charge: RateCharge, now: Int64) {
        shard(charge).withLockedValue { shard in
            // Without room it cannot be remembered; the next `check` refuses.
            guard shard.waitForRoom(charge, now) == 0 else { return }
            shard.with(charge, now) { charge.limit.note(&$0, now: now) }
        }
    }

    /// Buckets that are remembered.
    var bucketCount: Int {
        shards.reduce(0) { sum, shard in sum + shard.withLockedValue { $0.open.count + $0.reserved.count } }
    }

    /// Forgets every bucket that is full again. Requests do that by the way; this is for when there are none.
    func forgetIdle(now: Int64) {
        for shard in shards {
            shard.withLockedValue { shard in
                shard.open.forgetIdle(now)
                shard.reserved.forgetIdle(now)
            }
        }
    }

    private func shard(_ charge: RateCharge) -> NIOLockedValueBox<Shard> {
        shards[Int(charge.key % UInt64(shards.count))]
    }
}
