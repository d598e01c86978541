/// A bounded number of buckets, one for each caller. A bucket that is full again carries no information and is
/// forgotten: every request looks at two buckets, so that soon there are no more than were used in the last minute.
///
/// When there is no room, eight buckets are picked at random and the one that would be full soonest is forgotten. So
/// callers that have used up theirs are the last to be forgotten, however many others come once.
struct RateBuckets: Sendable {
    private static let sample = 8

    private struct Slot {
        var key: UInt64
        /// The time at which the bucket is full again.
        var fullAt: Int64
    }

    private let max: Int
    private var slots: [Slot] = []
    private var places: [UInt64: Int] = [:]
    /// The place at which the next search for full buckets begins.
    private var hand = 0
    private var random: UInt64

    init(max: Int, seed: UInt64 = .random(in: .min ... .max)) {
        precondition(max > 0, "no room for any bucket")
        self.max = max
        random = seed | 1
    }

    var count: Int { slots.count }

    /// Returns when a caller's bucket is full again; nil for a caller without a bucket.
    func fullAt(_ key: UInt64) -> Int64? { places[key].map { slots[$0].fullAt } }

    /// Sets the time at which a caller's bucket is full again.
    mutating func set(_ key: UInt64, fullAt: Int64, now: Int64) {
        if let place = places[key] {
            slots[place].fullAt = fullAt
        } else if fullAt > now {
            if slots.count >= max { removeOne(now) }
            places[key] = slots.count
            slots.append(Slot(key: key, fullAt: fullAt))
        }
        forgetSome(now)
    }

    /// Returns the nanoseconds until a new bucket has room without forgetting one that is not full; zero if there is
    /// room now.
    mutating func waitForRoom(now: Int64) -> Int64 {
        if slots.count < max { return 0 }
        forgetIdle(now)
        guard slots.count >= max, let soonest = slots.min(by: { $0.fullAt < $1.fullAt }) else { return 0 }
        return soonest.fullAt - now
    }

    /// Forgets every bucket that is full again.
    mutating func forgetIdle(_ now: Int64) {
        for place in slots.indices.reversed() where slots[place].fullAt <= now { remove(place) }
    }

    // MARK: -

    private mutating func forgetSome(_ now: Int64) {
        for _ in 0..<2 {
            guard !slots.isEmpty else { return }
            if hand >= slots.count { hand = 0 }
            if slots[hand].fullAt <= now { remove(hand) } else { hand += 1 }
        }
    }

    private mutating func removeOne(_ now: Int64) {
        var chosen = nextRandom()
        for _ in 1..<Self.sample {
            let other = nextRandom()
            if slots[other].fullAt < slots[chosen].fullAt { chosen = other }
        }
        remove(chosen)
    }

    /// Removes a slot; the last slot moves to its place.
    private mutating func remove(_ place: Int) {
        places[slots[place].key] = nil
        let last = slots.removeLast()
        guard place < slots.count else { return }
        slots[place] = last
        places[last.key] = place
    }

    /// Returns a random place; xorshift64 is random enough here.
    private mutating func nextRandom() -> Int {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Int(random % UInt64(slots.count))
    }
}
