import APNsProtocol
import Activities
import FanOut
import SightscreenModels
import Store
/// Rows of `live_activities`, turned into additions to and removals from the loops.
struct RosterChanges: Sendable {
    /// The active activities among the rows.
    var entries: [RosterEntry] = []
    var gone: [RosterPlace] = []

    /// Computes the changes off the caller's executor, which has claims to answer: a page takes some milliseconds.
    /// - Parameters:
    ///   - progress: how far their buckets are settled, when the shards were just taken over.
    ///   - now: seconds since 1970 by the database's clock.
    ///   - known: activities of which something newer is known; their records are skipped.
    @concurrent init(
        _ records: [ActivityRecord], progress: [MatchID: [Int: BucketProgress]], now: Double,
        except known: Set<ActivityKey>
    ) async {
        entries.reserveCapacity(records.count)
        for record in records {
            guard known.isEmpty || !known.contains(record.key) else { continue }
            let key = RosterKey(record.key)
            guard record.status == .active, let token = record.updateToken else {
                gone.append(RosterPlace(record.key, shard: record.route.shard))
                continue
            }
            let settled = progress[record.key.matchID]?[record.route.bucket(of: MatchPublisher.bucketCount)]
            let delivered = settled.flatMap { $0.covers(token, at: record.tokenAt) ? $0.stamp : nil }
            // When the bucket's settled stamp is later than the token, the phone has had its first state and gets at
            // most a repetition.
            let hadItsFirst = settled.map { Double($0.stamp.rawValue) >= record.tokenAt.rounded(.down) } ?? false
            entries.append(
                RosterEntry(
                    key: key, phone: key.phone(generation: record.key.generation), match: record.key.matchID,
                    shard: record.route.shard,
                    environment: record.environment, token: token,
                    tokenAt: record.tokenAt, delivered: delivered,
                    isNew: delivered == nil && !hadItsFirst && now - record.tokenAt < 60, level: record.alerts,
                    levelAt: record.levelAt,
                    infrequent: record.takesFrequentPushes ? nil : key.phone(generation: record.key.generation)))
        }
    }
}
