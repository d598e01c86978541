/// The shards of a loop, and their states.
struct LoopShards {
    private struct Shard {
        let trust: ShardTrust
        /// All phones of the shard are in the loop.
        var isComplete: Bool
        /// The shard is being handed over to another process.
        var isClosing = false
    }

    private var shards: [Int: Shard] = [:]

    func trust(of shard: Int) -> ShardTrust? { shards[shard]?.trust }

    func isClosing(_ shard: Int) -> Bool { shards[shard]?.isClosing ?? false }

    /// Whether alerts may be claimed for a shard. A claim is for all its phones: while the shard is still being read,
    /// it would cover phones that are not known yet. A shard that is being handed over claims nothing more.
    func takesClaims(_ shard: Int) -> Bool { shards[shard].map { $0.isComplete && !$0.isClosing } ?? false }

    mutating func acquire(_ shard: Int, _ trust: ShardTrust, isComplete: Bool) {
        shards[shard] = Shard(trust: trust, isComplete: isComplete)
    }

    mutating func complete(_ some: [Int]) { for shard in some { shards[shard]?.isComplete = true } }

    mutating func close(_ shard: Int) { shards[shard]?.isClosing = true }

    /// - Returns: whether it was closing.
    mutating func reopen(_ shard: Int) -> Bool {
        defer { shards[shard]?.isClosing = false }
        return isClosing(shard)
    }

    mutating func lose(_ shard: Int) { shards[shard] = nil }
}
