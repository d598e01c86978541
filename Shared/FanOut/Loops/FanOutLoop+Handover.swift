import Reactor
import Activities
import Messages
import SightscreenModels
/// Handing a shard over: this process sends the alerts that it has claimed, the next process sends the rest.
extension FanOutLoop {
    package func close(_ shard: Int) {
        shards.close(shard)
        for match in matches.values {
            for cohort in match.cohorts where cohort.shard == shard { cohort.stage = .closing }
            stopWaiting(match)
        }
    }
    /// Reopens a shard that is not handed over after all.
    package func reopen(_ shard: Int) {
        guard shards.reopen(shard) else { return }
        for match in matches.values {
            for cohort in match.cohorts where cohort.shard == shard {
                cohort.stage = .open
                // The sweep starts again, because a closing cohort passes over the phones that are due only a state.
                if waits(cohort) { claimUntried(cohort) } else { start(cohort) }
            }
        }
        complete([shard])
    }

    /// Whether a shard has pushes in flight, or a claim or a claimed alert that some of its phones are still due.
    package func isBusy(_ shard: Int) -> Bool {
        matches.values.contains { match in
            match.claim?.buckets.keys.contains { $0.shard == shard } ?? false
                || match.cohorts.contains { $0.shard == shard && ($0.inFlight > 0 || owesAlert($0)) }
        } || cohorts.all.contains { $0.shard == shard && $0.inFlight > 0 }
    }

    func owesAlert(_ cohort: any Cohort) -> Bool {
        let now = clock.seconds
        return !cohort.gained.isEmpty && (0..<cohort.slots).contains { owesAlert(cohort, $0, now: now) }
    }

    func owesAlert(_ cohort: any Cohort, _ slot: Int, now: Int) -> Bool {
        guard cohort.stage != .lost, !cohort.gained.isEmpty, !cohort.match.hold.stops(.pushes) else { return false }
        let row = cohort.row(slot)
        return row.pointee.flags.contains(.isUsed) && !row.pointee.flags.contains(.isDraining)
            && !cohort.match.selection(for: row, cohort, now: now).isEmpty
    }
}
