/// A count and a hash of the active activities of a shard. Equal sums mean the same activities.
package struct RosterSum: Hashable, Sendable {
    package private(set) var count = 0
    private var hash: Int64 = 0

    package init() {}

    package init(count: Int, hash: Int64) {
        self.count = count
        self.hash = hash
    }

    /// - Parameter tokenAt: when the activity's token was registered, seconds since 1970, to the microsecond.
    package mutating func add(tokenAt: Double) {
        count += 1
        hash += Int64((tokenAt * 1_000_000).rounded()) % Self.modulus
    }

    package static func += (sum: inout Self, other: Self) {
        sum.count += other.count
        sum.hash += other.hash
    }

    /// A prime modulus: the sum of several billion such remainders fits in 64 bits.
    package static let modulus: Int64 = 1_000_000_007
}
