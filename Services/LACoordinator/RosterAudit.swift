import FanOut
import Logging
import Metrics

/// Proves now and then that the loops have the activities that the table has.
actor RosterAudit {
    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let roster: ShardRoster
    private let interval: Duration
    private let logger: Logger

    init(store: ActivityStore, fanOut: FanOutLoops, roster: ShardRoster, interval: Duration, logger: Logger) {
        self.store = store
        self.fanOut = fanOut
        self.roster = roster
        self.interval = interval
        self.logger = logger
    }

    /// Beside the passes, as it takes longer than what is known may be old; until the task is cancelled.
    @Sendable func run() async {
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            do { try await audit() } catch {
                // Whoever ends takes the database away from it.
                if Task.isCancelled { return }
                logger.warning("The roster could not be audited", metadata: ["error": "\(error)"])
            }
        }
    }

    private func audit() async throws {
        // All changes up to it have been taken in.
        guard let cursor = await roster.cursor else { return }
        let before = await roster.held
        let shards = Array(before.keys)
        guard !shards.isEmpty else { return }
        let expected = try await store.rosterSums(shards: shards)
        let known = await fanOut.onEach(of: shards, in: { $0 }) { $0.rosterSums(Set($1)) }
            .reduce(into: [:]) { $0.merge($1) { $1 } }
        // Last: whatever the loops may have heard of after the table was read is among these.
        let changed = try await store.changedShards(since: cursor, of: shards)
        let now = await roster.held
        for shard in shards where !changed.contains(shard) && now[shard]?.hold.epoch == before[shard]?.hold.epoch {
            // Nil: it waits for the table to hear of a dead token.
            guard let known = known[shard] else { continue }
            let expected = expected[shard] ?? RosterSum()
            guard known != expected else { continue }
            Counter(label: "sightscreen_roster_mismatches_total").increment()
            logger.error(
                "A shard is not as the table has it: it is read anew",
                metadata: ["shard": "\(shard)", "table": "\(expected.count)", "known": "\(known.count)"])
            await roster.lose(shard)
        }
        Counter(label: "sightscreen_audits_total").increment()
    }
}
