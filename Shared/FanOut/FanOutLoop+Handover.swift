import Reactor
import Activities
import Messages
import SightscreenModels

/// A shard is to be another process's: alerts that are claimed here are told here, as nobody else can, and all the rest is
/// left to that one.
extension FanOutLoop {
    package func close(_ shard: Int) {
        shards.close(shard)
        for match in matches.values {
            for cohort in match.cohorts where cohort.shard == shard { cohort.stage = .closing }
            stopWaiting(match)
        }
    }

    /// It stays after all.
    package func reopen(_ shard: Int) {
        guard shards.reopen(shard) else { return }
        for match in matches.values {
            for cohort in match.cohorts where cohort.shard == shard {
                cohort.stage = .open
                // What was passed over is looked at again.
                if waits(cohort) { claimUntried(cohort) } else { start(cohort) }
            }
        }
        complete([shard])
    }

    /// Pushes to it are under way, or an alert is claimed that some of its phones are still to be told.
    package func isBusy(_ shard: Int) -> Bool {
        matches.values.contains { match in
            match.claim?.shards[shard] != nil
                || match.cohorts.contains { $0.shard == shard && ($0.inFlight > 0 || owesAlert($0)) }
        } || cohorts.all.contains { $0.shard == shard && $0.inFlight > 0 }
    }

    func owesAlert(_ cohort: TokenCohort) -> Bool {
        let now = clock.seconds
        return !cohort.gained.isEmpty && (0..<cohort.slots).contains { owesAlert(cohort, $0, now: now) }
    }

    func owesAlert(_ cohort: TokenCohort, _ slot: Int, now: Int) -> Bool {
        guard cohort.stage != .lost, !cohort.gained.isEmpty, !cohort.match.brake.stops(.pushes) else { return false }
        let row = cohort.row(slot)
        return row.pointee.flags.contains(.isUsed) && !row.pointee.flags.contains(.isLeaving)
            && !cohort.match.riders(for: row, cohort, now: now).isEmpty
    }
}
