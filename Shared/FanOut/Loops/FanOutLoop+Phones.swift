import Reactor
import HTTP2
package import SightscreenModels

extension FanOutLoop {
    /// Nanoseconds (three hours) after which a quiet match is forgotten. That is longer than the coordinator keeps the
    /// match's newest version (two hours), because it does not publish a version anew that it still knows.
    private static let quietMax: Int64 = 10_800_000_000_000

    package func add(_ entries: [RosterEntry]) {
        for entry in entries {
            guard let trust = shards.trust(of: entry.shard) else { continue }
            let match = match(entry.match)
            var lastAlert = match.lastAlerts[entry.phone] ?? 0
            for other in match.tokens where other.shard == entry.shard && other.environment != entry.environment {
                lastAlert = max(lastAlert, other.remove(entry.key))
            }
            let cohort = cohort(match, entry, trust)
            guard let slot = cohort.add(entry, lastAlert: lastAlert) else {
                if !cohort.retries.isEmpty { list(cohort) }
                continue
            }
            match.progress.targeted += 1
            if cohort.row(slot).pointee.backoff > 0 { wait(cohort, slot) } else { cohort.queue(slot) }
            // A fresh alert is claimed first; otherwise these phones would not get it.
            claimUntried(cohort)
            list(cohort)
        }
        wake()
    }

    /// Removes activities: nothing is sent to them any more.
    /// - Returns: those with a push in flight; `FanOutReport.drained` follows when it is answered.
    package func remove(_ places: [RosterPlace]) -> [RosterPlace] {
        // Lost cohorts that wait for their last answers count, too: what they sent may be delivered after what follows.
        let lost = cohorts.all.compactMap { $0 as? TokenCohort }.filter { $0.stage == .lost }
        return places.compactMap { place in
            var isInFlight = false
            let known = (matches[place.match]?.tokens ?? []) + lost.filter { $0.match.id == place.match }
            for cohort in known where cohort.shard == place.shard {
                cohort.match.noteDelivered(cohort.remove(place.key), on: place.phone, now: clock.seconds)
                isInFlight = isInFlight || cohort.isDraining(place.key)
            }
            return isInFlight ? place : nil
        }
    }

    package func lose(_ shard: Int) {
        shards.lose(shard)
        for match in matches.values {
            for cohort in match.cohorts where cohort.shard == shard {
                cohort.stage = .lost
                pools[cohort.environment]?.unlist(cohort)
                forget(cohort)
            }
            match.tokens.removeAll { $0.shard == shard }
            match.channels.removeAll { $0.shard == shard }
            match.unclaimed.removeAll { $0.shard == shard }
        }
    }

    func forget(_ cohort: any Cohort) {
        if cohort.stage == .lost, cohort.inFlight == 0 { cohorts.remove(cohort) }
    }

    func match(_ id: MatchID) -> LoopMatch {
        if let known = matches[id] { return known }
        let match = LoopMatch(id: id, hold: matchHolds.hold(of: id), rules: rules)
        matches[id] = match
        return match
    }

    private func cohort(_ match: LoopMatch, _ entry: RosterEntry, _ trust: ShardTrust) -> TokenCohort {
        if let known = match.tokens.first(where: { $0.shard == entry.shard && $0.environment == entry.environment }) {
            return known
        }
        let cohort: TokenCohort = cohorts.add { number in
            TokenCohort(
                number: number, match: match, environment: entry.environment, shard: entry.shard, trust: trust,
                since: clock.seconds)
        }
        if shards.isClosing(entry.shard) { cohort.stage = .closing }
        match.addGained(to: cohort)
        match.tokens.append(cohort)
        return cohort
    }

    /// The number of activities in this loop.
    package var count: Int { matches.values.reduce(0) { $0 + $1.tokens.reduce(0) { $0 + $1.count } } }

    package var connections: Int { pools.values.reduce(0) { $0 + $1.connectionCount } }

    package var inFlight: Int { cohorts.all.reduce(0) { $0 + $1.inFlight } }

    /// Forgets matches that have had neither phones nor versions for a while; one that goes on is read again.
    package func forgetFinished() {
        immediates.forget(now: clock.seconds)
        for match in matches.values { match.forgetDelivered(now: clock.seconds) }
        let now = MonotonicTime.now
        for (id, match) in matches
        where match.cohorts.allSatisfy({ $0.count == 0 && $0.inFlight == 0 && !$0.work.isListed }) {
            guard now - match.usedAt > Self.quietMax else { continue }
            for cohort in match.cohorts {
                cohort.stage = .lost
                forget(cohort)
            }
            // The cohorts refer to their match; without this the two would keep each other alive.
            match.tokens = []
            match.channels = []
            match.unclaimed = []
            matches[id] = nil
        }
    }

    // MARK: - Progress

    /// Returns the sums of these shards, except those with a dead token that the table may not know of yet.
    package func rosterSums(_ shards: Set<Int>) -> [Int: RosterSum] {
        var sums = Dictionary(shards.map { ($0, Optional(RosterSum())) }) { first, _ in first }
        for match in matches.values {
            for cohort in match.tokens where shards.contains(cohort.shard) {
                guard let sum = cohort.sum else {
                    sums[cohort.shard] = .some(nil)
                    continue
                }
                if var all = sums[cohort.shard] ?? nil {
                    all += sum
                    sums[cohort.shard] = all
                }
            }
        }
        return sums.compactMapValues { $0 }
    }

    /// Returns how far the phones of each match and shard are, where that may have changed since the last call.
    package func settled() -> [(match: MatchID, shard: Int, progress: BucketProgress)] {
        var all: [(match: MatchID, shard: Int, progress: BucketProgress)] = []
        for match in matches.values {
            let changed = Set(match.tokens.filter(\.needsSettling).map(\.shard))
            for shard in changed {
                let parts = match.tokens.filter { $0.shard == shard && $0.count > 0 }
                for cohort in match.tokens where cohort.shard == shard { cohort.needsSettling = false }
                guard let first = parts.first?.settled() else { continue }
                let together = parts.dropFirst().reduce(Optional(first)) { sum, cohort in
                    cohort.settled().flatMap { sum?.and($0) }
                }
                if let together { all.append((match.id, shard, together)) }
            }
        }
        return all
    }
}
