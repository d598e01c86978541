import Logging
import Metrics
import Store

extension LACoordinator {
    /// Proves now and then that the loops have the activities that the table has (DESIGN, section 2: changes are read
    /// without loss). Beside the passes: it takes longer than what is known may be old.
    func auditWhenDue() {
        guard !isAuditing, !isStopping, .now - auditedAt >= auditEvery, let cursor, !holds.isEmpty else { return }
        isAuditing = true
        Task {
            do { try await audit(since: cursor) } catch {
                // Whoever ends takes the database away from it.
                if !isStopping {
                    logger.warning("The roster could not be audited", metadata: ["error": "\(error)"])
                }
            }
            auditedAt = .now
            isAuditing = false
        }
    }

    /// - Parameter cursor: up to which all changes have been taken in.
    private func audit(since cursor: String) async throws {
        let before = holds
        let shards = Array(before.keys)
        let expected = try await store.rosterSums(shards: shards)
        let known = await fanOut.rosterSums(shards)
        // Last: whatever the loops may have heard of after the table was read is among these.
        let changed = try await store.changedShards(since: cursor, of: shards)
        for shard in shards where !changed.contains(shard) && holds[shard]?.epoch == before[shard]?.epoch {
            // Nil: it waits for the table to hear of a dead token.
            guard let known = known[shard] else { continue }
            let expected = expected[shard] ?? RosterSum()
            guard known != expected else { continue }
            Counter(label: "sightscreen_roster_mismatches_total").increment()
            logger.error(
                "A shard is not as the table has it: it is read anew",
                metadata: ["shard": "\(shard)", "table": "\(expected.count)", "known": "\(known.count)"])
            await lose(shard)
        }
        Counter(label: "sightscreen_audits_total").increment()
    }
}
