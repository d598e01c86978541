/// Finds the slots of activities in a cohort by their keys. It is a hash table with linear probing that holds only the
/// slots, because the keys are in the rows. A `Dictionary` with keys of its own takes five times as much memory for
/// each phone.
struct SlotIndex {
    private static let placesMin = 16
    private static let free: Int32 = -1

    /// The places of the hash table: their number is a power of two, and at most three in four are taken.
    private var places = [Int32](repeating: free, count: placesMin)
    private(set) var count = 0

    /// - Parameter keyAt: returns the key of a slot that the index has.
    func slot(of key: RosterKey, keyAt: (Int) -> RosterKey) -> Int? {
        place(of: key, keyAt).map { Int(places[$0]) }
    }

    /// - Parameter key: a key that the index does not have.
    mutating func insert(_ slot: Int, _ key: RosterKey, keyAt: (Int) -> RosterKey) {
        if (count + 1) * 4 > places.count * 3 { grow(keyAt) }
        put(Int32(slot), key)
        count += 1
    }

    /// - Returns: the slot of the removed key; nil when the index does not have it.
    mutating func remove(_ key: RosterKey, keyAt: (Int) -> RosterKey) -> Int? {
        guard var hole = place(of: key, keyAt) else { return nil }
        defer { count -= 1 }
        let slot = Int(places[hole])
        // Entries behind the hole that were displaced past it move up, so that no search ends before it reaches them.
        var next = (hole + 1) & mask
        while places[next] != Self.free {
            let home = home(keyAt(Int(places[next])))
            if (next - home) & mask >= (next - hole) & mask {
                places[hole] = places[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        places[hole] = Self.free
        return slot
    }

    private var mask: Int { places.count - 1 }

    private func home(_ key: RosterKey) -> Int { Int(truncatingIfNeeded: key.bits) & mask }

    private func place(of key: RosterKey, _ keyAt: (Int) -> RosterKey) -> Int? {
        var place = home(key)
        while places[place] != Self.free {
            if keyAt(Int(places[place])) == key { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    private mutating func put(_ slot: Int32, _ key: RosterKey) {
        var place = home(key)
        while places[place] != Self.free { place = (place + 1) & mask }
        places[place] = slot
    }

    private mutating func grow(_ keyAt: (Int) -> RosterKey) {
        let old = places
        places = [Int32](repeating: Self.free, count: old.count * 2)
        for slot in old where slot != Self.free { put(slot, keyAt(Int(slot))) }
    }
}
