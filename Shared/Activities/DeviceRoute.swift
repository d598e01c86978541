public import SightscreenModels

/// The route of a device's work: its shard (0…63) and its bucket for alert claims. Both are the top bits of one hash,
/// so that buckets nest in shards and every process of every version agrees on them. The shard is global (not per
/// match), so that a device's budgets span its matches.
public struct DeviceRoute: Hashable, Sendable {
    /// A 63-bit hash; PostgreSQL holds it as a non-negative bigint.
    public let hash: Int64

    public static let shardCount = 64
    private static let hashBits = 63

    package init(hash: Int64) { self.hash = hash }

    /// The hash is FNV-1a over `user`, a zero byte and `device`, finished with the avalanche of SplitMix64, because the
    /// top bits are used.
    public init(user: UserID, device: DeviceID) {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        user.rawValue.utf8.forEach(mix)
        mix(0)
        device.rawValue.utf8.forEach(mix)
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        value ^= value >> 31
        hash = Int64(value >> 1)
    }

    public var shard: Int { bucket(of: Self.shardCount) }

    /// - Parameter count: a power of two from 64 up.
    public func bucket(of count: Int) -> Int {
        precondition(
            count >= Self.shardCount && count & (count - 1) == 0, "a bucket count is a power of two from 64 up")
        return Int(hash >> Int64(Self.hashBits - count.trailingZeroBitCount))
    }
}
