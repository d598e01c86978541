import Reactor
import HTTP2
package import SightscreenModels

extension FanOutLoop {
    /// Longer than the coordinator keeps the newest version of a match that is quiet: what it knows it does not publish anew.
    private static let quietMax: Int64 = 10_800_000_000_000

    package func take(_ entries: [RosterEntry]) {
        for entry in entries {
            guard let trust = shards.trust(of: entry.shard) else { continue }
            let match = match(entry.match)
            var told = match.told[entry.phone] ?? 0
            for other in match.cohorts where other.shard == entry.shard && other.environment != entry.environment {
                told = max(told, other.remove(entry.key))
            }
            let cohort = cohort(match, entry, trust)
            guard let slot = cohort.take(entry, told: told) else {
                if !cohort.again.isEmpty { list(cohort) }
                continue
            }
            match.progress.targeted += 1
            if cohort.row(slot).pointee.backoff > 0 { wait(cohort, slot) } else { cohort.queue(slot) }
            // An alert of a moment ago is claimed first: without it nothing would tell it to them.
            claimUntried(cohort)
            list(cohort)
        }
        wake()
    }

    /// Nothing is sent to these activities any more.
    /// - Returns: those that a push is under way to; `FanOutReport.left` comes when it no longer is.
    package func remove(_ places: [RosterPlace]) -> [RosterPlace] {
        // Lost ones that wait for their last answers: what they sent may come after what follows.
        let lost = cohorts.all.filter { $0.stage == .lost }
        return places.compactMap { place in
            var isUnderWay = false
            let known = (matches[place.match]?.cohorts ?? []) + lost.filter { $0.match.id == place.match }
            for cohort in known where cohort.shard == place.shard {
                cohort.match.noteTold(cohort.remove(place.key), on: place.phone, now: clock.seconds)
                isUnderWay = isUnderWay || cohort.isLeaving(place.key)
            }
            return isUnderWay ? place : nil
        }
    }

    package func lose(_ shard: Int) {
        shards.lose(shard)
        for match in matches.values {
            for cohort in match.cohorts where cohort.shard == shard {
                cohort.stage = .lost
                lines[cohort.environment]?.unlist(cohort)
                forget(cohort)
            }
            match.cohorts.removeAll { $0.shard == shard }
            match.unclaimed.removeAll { $0.shard == shard }
        }
    }

    func forget(_ cohort: TokenCohort) {
        if cohort.stage == .lost, cohort.inFlight == 0 { cohorts.remove(cohort) }
    }

    func match(_ id: MatchID) -> LoopMatch {
        if let known = matches[id] { return known }
        let match = LoopMatch(id: id, brake: brakes.brake(of: id), rules: rules)
        matches[id] = match
        return match
    }

    private func cohort(_ match: LoopMatch, _ entry: RosterEntry, _ trust: ShardTrust) -> TokenCohort {
        if let known = match.cohorts.first(where: { $0.shard == entry.shard && $0.environment == entry.environment }) {
            return known
        }
        let cohort = cohorts.add { number in
            TokenCohort(
                number: number, match: match, environment: entry.environment, shard: entry.shard, trust: trust)
        }
        if shards.isClosing(entry.shard) { cohort.stage = .closing }
        match.cohorts.append(cohort)
        return cohort
    }

    /// Phones in all.
    package var count: Int { matches.values.reduce(0) { $0 + $1.cohorts.reduce(0) { $0 + $1.count } } }

    package var connections: Int { lines.values.reduce(0) { $0 + $1.connectionCount } }

    package var inFlight: Int { cohorts.all.reduce(0) { $0 + $1.inFlight } }

    /// A match that has had neither phones nor versions for a while needs no memory; if it goes on, it is read again.
    package func forgetFinished() {
        immediates.forget(now: clock.seconds)
        for match in matches.values { match.forgetTold(now: clock.seconds) }
        let now = MonotonicTime.now
        for (id, match) in matches
        where match.cohorts.allSatisfy({ $0.count == 0 && $0.inFlight == 0 && !$0.work.isListed }) {
            guard now - match.usedAt > Self.quietMax else { continue }
            for cohort in match.cohorts {
                cohort.stage = .lost
                forget(cohort)
            }
            // They hold it, too.
            match.cohorts = []
            match.unclaimed = []
            matches[id] = nil
        }
    }

    // MARK: - Progress

    /// Without shards in which a token is dead that the table may not know of yet.
    package func rosterSums(_ shards: Set<Int>) -> [Int: RosterSum] {
        var sums = Dictionary(shards.map { ($0, Optional(RosterSum())) }) { first, _ in first }
        for match in matches.values {
            for cohort in match.cohorts where shards.contains(cohort.shard) {
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

    /// How far the phones of a match in a shard are, where that may have changed.
    package func settled() -> [(match: MatchID, shard: Int, progress: BucketProgress)] {
        var all: [(match: MatchID, shard: Int, progress: BucketProgress)] = []
        for match in matches.values {
            let changed = Set(match.cohorts.filter(\.needsSettling).map(\.shard))
            for shard in changed {
                let parts = match.cohorts.filter { $0.shard == shard && $0.count > 0 }
                for cohort in match.cohorts where cohort.shard == shard { cohort.needsSettling = false }
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
