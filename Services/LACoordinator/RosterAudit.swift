import FanOut
import Logging
import Metrics

/// Compares the activities in the loops with the table at intervals, and has a shard that differs read anew.
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

    /// Audits at each interval until the task is cancelled. It runs beside the passes, because an audit takes longer
    /// than what is known may be old.
    @Sendable func run() async {
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            do { try await audit() } catch {
                // The database is closed before the audit when the process stops: an error then is not reported.
                if Task.isCancelled { return }
                logger.warning("The roster could not be audited", metadata: ["error": "\(error)"])
            }
        }
    }

    private func audit() async throws {
        // All changes up to this cursor are in the loops.
        guard let cursor = await roster.cursor else { return }
        let before = await roster.held
        let shards = Array(before.keys)
        guard !shards.isEmpty else { return }
        let expected = try await store.rosterSums(shards: shards)
        let known = await fanOut.onEach(of: shards, in: { $0 }) { $0.rosterSums(Set($1)) }
            .reduce(into: [:]) { $0.merge($1) { $1 } }
        // This query comes last, so that its result includes every change that the loops may have learnt of after the
        // table was read.
        let changed = try await store.changedShards(since: cursor, of: shards)
        let now = await roster.held
        for shard in shards where !changed.contains(shard) && now[shard]?.lease.epoch == before[shard]?.lease.epoch {
            // The sum is nil while the shard has a dead token that the table does not know of yet.
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
