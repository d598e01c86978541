import Logging
import Store

/// Shards go to another coordinator that has come.
extension LACoordinator {
    /// An alert whose claim is taken is told within this time, or the shard stays for now.
    private static let handoverMax = Duration.seconds(3)

    /// Ends the work on shards that another one is to have: tells the alerts that only this process can tell, waits for
    /// the answers, and writes down how far the phones are.
    ///
    /// - Returns: those on which it is ended. From then on they are not taken up again under the same lease.
    package func letGo(_ shards: [Int]) async -> [Int] {
        // What is still being taken over goes another time.
        var busy = shards.filter { holds[$0] != nil }
        for shard in busy { await fanOut.close(shard) }
        let deadline = ContinuousClock.now + Self.handoverMax
        var ended: [Int] = []
        while !busy.isEmpty, .now < deadline, !isStopping {
            var idle: [Int] = []
            for shard in busy where await !fanOut.isBusy(shard) { idle.append(shard) }
            if !idle.isEmpty {
                // What is not written down the next one repeats.
                try? await settleProgress()
                for shard in idle {
                    if let hold = holds[shard] { leaving[shard] = hold.epoch }
                    await lose(shard)
                }
                busy.removeAll { idle.contains($0) }
                ended += idle
            }
            if !busy.isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
        }
        for shard in busy { await fanOut.reopen(shard) }
        if !ended.isEmpty { logger.info("Handed over shards", metadata: ["shards": "\(ended.count)"]) }
        return ended
    }
}
