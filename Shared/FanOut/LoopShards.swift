/// The shards whose phones a loop has.
struct LoopShards {
    private struct Shard {
        let trust: ShardTrust
        /// All its phones are there.
        var isComplete: Bool
        /// It is to be another's.
        var isClosing = false
    }

    private var shards: [Int: Shard] = [:]

    func trust(of shard: Int) -> ShardTrust? { shards[shard]?.trust }

    func isClosing(_ shard: Int) -> Bool { shards[shard]?.isClosing ?? false }

    /// A claim is for all phones of a shard: for one that is still being read it would be one for more than are known, and what is
    /// to be another's claims no other alert.
    func takesClaims(_ shard: Int) -> Bool { shards[shard].map { $0.isComplete && !$0.isClosing } ?? false }

    mutating func hold(_ shard: Int, _ trust: ShardTrust, isComplete: Bool) {
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
