import NIOConcurrencyHelpers

/// Counts requests against their limits, from all threads. The caller passes the time, in nanoseconds of a clock that
/// does not go back. The number of buckets is bounded: some 10 MB when it is full.
///
/// The counts live in this process: they need no database, and fail only by being full (`RateLimit.WhenFull`). They are
/// lost when the process ends, and every caller then begins with full buckets.
struct RateLimiter: Sendable {
    /// The bound is more than the callers that a gateway serves in a minute.
    static let bucketsMax = 200_000
    /// Each shard has a lock of its own, so that threads seldom wait for each other.
    static let shardCount = 16
    /// One part in 25 of the buckets is reserved for limits that refuse when there is no room: other limits cannot fill
    /// it.
    private static let reservedPart = 25

    private struct Shard: Sendable {
        var open: RateBuckets
        var reserved: RateBuckets

        /// - Returns: the result of `body`, which gets the caller's bucket.
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

        /// Returns how long a caller has to wait because no more callers can be remembered.
        mutating func waitForRoom(_ charge: RateCharge, _ now: Int64) -> Int64 {
            guard charge.limit.whenFull == .refuse, reserved.fullAt(charge.key) == nil else { return 0 }
            return reserved.waitForRoom(now: now)
        }
    }

    private let shards: [NIOLockedValueBox<Shard>]

    /// - Parameter bucketsMax: the bound over all shards; smaller in tests.
    init(bucketsMax: Int = Self.bucketsMax, shardCount: Int = Self.shardCount) {
        let perShard = max(2, bucketsMax / shardCount)
        let reserved = max(1, perShard / Self.reservedPart)
        shards = (0..<shardCount).map { _ in
            NIOLockedValueBox(
                Shard(open: RateBuckets(max: perShard - reserved), reserved: RateBuckets(max: reserved)))
        }
    }

    /// Lets a request in if all its limits do; a refused request counts against none of them.
    func admit(_ charges: [RateCharge], now: Int64) -> RateOutcome {
        for (place, charge) in charges.enumerated() {
            let wait = shard(charge).withLockedValue { shard in
                let wait = shard.waitForRoom(charge, now)
                return wait > 0 ? wait : shard.with(charge, now) { charge.limit.take(&$0, now: now) }
            }
            guard wait > 0 else { continue }
            for taken in charges[..<place] {
                shard(taken).withLockedValue { $0.with(taken, now) { taken.limit.refund(&$0) } }
            }
            return RateOutcome(wait: wait, by: charge.limit.name)
        }
        return .admitted
    }
    /// Admits a request that has one limit.
    func admit(_ charge: RateCharge, now: Int64) -> RateOutcome { admit([charge], now: now) }

    /// Returns whether a request would be let in, without counting it. It is for limits on failures, which `note`
    /// counts once they have happened. Requests in flight at the same time may all fail, so a caller can exceed the
    /// limit by as many failures as there are threads that compare.
    func check(_ charge: RateCharge, now: Int64) -> RateOutcome {
        let wait = shard(charge).withLockedValue { shard in
            let wait = shard.waitForRoom(charge, now)
            return wait > 0 ? wait : shard.with(charge, now) { charge.limit.wait($0, now: now) }
        }
        return RateOutcome(wait: wait, by: charge.limit.name)
    }

    /// Counts a failure.
    func note(_ charge: RateCharge, now: Int64) {
        shard(charge).withLockedValue { shard in
            // Without room the failure cannot be remembered; the next `check` refuses.
            guard shard.waitForRoom(charge, now) == 0 else { return }
            shard.with(charge, now) { charge.limit.note(&$0, now: now) }
        }
    }

    /// The number of buckets that are remembered.
    var bucketCount: Int {
        shards.reduce(0) { sum, shard in sum + shard.withLockedValue { $0.open.count + $0.reserved.count } }
    }

    /// Forgets every bucket that is full again. Requests do this as they come; this is for times without requests.
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
