package import Activities
import Reactor
package import SightscreenModels

/// Claiming alerts. A few cohorts are claimed at a time, and the state of the others waits for its claim, because it
/// carries the alert.
extension FanOutLoop {
    /// The most phones for which alerts are claimed at once; their alerts are lost if the process dies before it has
    /// sent them.
    private static let claimedMax = 1_000
    /// Ticks (two seconds) that a cohort waits for its claim. After that its state goes without the alert, which its
    /// phones never get, because the claim may stand in the table. Ticks are not counted while the process stalls.
    private static let claimPatience = 40
    /// Ticks (half a second) after which a claim counts as slow. After a slow or missing answer the rest is claimed in
    /// one go: with one wait per shard, the last shard's state would no longer be news.
    private static let claimSlow = 10

    /// Returns the newest fresh alert that no claim was tried for in this cohort.
    func untried(_ cohort: any Cohort) -> StampedVersion? {
        let match = cohort.match
        // Under a hold nothing is claimed; the alert is claimed when the hold is lifted, if it is still fresh.
        guard cohort.count > 0, !match.hold.stops(.alerts) else { return nil }
        let now = clock.seconds
        return match.alerts.entries.last {
            match.alerts.isFresh($0, now: now) && !cohort.tried.contains(LoopMatch.number($0.version))
        }?.version
    }

    /// Whether the cohort waits for an alert to be claimed. A shard that is being handed over, and a loop that
    /// finishes, claim nothing more, and send what they have claimed.
    func waits(_ cohort: any Cohort) -> Bool { !isFinishing && cohort.stage != .closing && untried(cohort) != nil }

    /// Starts the cohorts that waited for another claim and have a claimed alert, which only this process can send.
    func stopWaiting(_ match: LoopMatch) {
        startUnclaimed(of: match) { cohort in
            !waits(cohort) && !cohort.gained.isEmpty && match.claim?.buckets[cohort.bucket] == nil
        }
    }

    private func startUnclaimed(of match: LoopMatch, where isReady: (any Cohort) -> Bool) {
        let ready = match.unclaimed.filter(isReady)
        match.unclaimed.removeAll { cohort in ready.contains { $0 === cohort } }
        for cohort in ready { start(cohort) }
    }

    /// Claims alerts that came with a version that was read late, and alerts that a hold kept from being claimed.
    func claimUntried(_ match: LoopMatch) {
        if match.alerts.hasFresh(now: clock.seconds) {
            for cohort in match.cohorts { claimUntried(cohort) }
        }
        claimNext(match)
    }

    func claimUntried(_ cohort: any Cohort) {
        let match = cohort.match
        guard cohort.work != .unclaimed, waits(cohort) else { return }
        waitForClaim(cohort)
        claimNext(match)
    }

    /// Takes the cohort off its work list until the alert is claimed, because its state carries the alert.
    func waitForClaim(_ cohort: any Cohort) {
        pools[cohort.environment]?.unlist(cohort)
        cohort.work = .unclaimed
        cohort.match.unclaimed.append(cohort)
    }

    /// Asks for the next few claims; few, because alerts that are claimed and not sent are lost when the process dies.
    /// A claim is for all phones of a shard, so a shard that is still being read is left out: the claim would cover
    /// phones that are not known yet. A channel is one push, and may rest: it keeps no claim waiting.
    func claimNext(_ match: LoopMatch) {
        guard !isFinishing, match.claim == nil, !match.tokens.contains(where: { $0.work == .listed(.alert) })
        else { return }
        while let place = match.unclaimed.lastIndex(where: { shards.takesClaims($0.shard) }) {
            let first = match.unclaimed[place]
            guard let version = untried(first) else {
                match.unclaimed.remove(at: place)
                start(first)
                continue
            }
            var asked: [AlertBucket: Int64] = [:]
            var phones = 0
            for cohort in match.unclaimed[...place].reversed()
            where asked[cohort.bucket] == nil && shards.takesClaims(cohort.shard) {
                guard asked.isEmpty || match.claimsAreSlow || phones + cohort.count <= Self.claimedMax else { break }
                asked[cohort.bucket] = cohort.trust.epoch
                phones += cohort.count
            }
            match.claim = LoopMatch.Claim(version: version, buckets: asked)
            report(.claim(match.id, version, asked))
            return
        }
    }

    /// Gives up a claim that stays unanswered; called with each tick.
    func giveUpLateClaim(_ match: LoopMatch) {
        guard var claim = match.claim else { return }
        claim.ticks += 1
        match.claim = claim
        if claim.ticks >= Self.claimPatience { claimed(match.id, claim.version, claim.buckets, gained: []) }
    }

    /// Takes in the answer to `FanOutReport.claim`.
    /// - Parameters:
    ///   - buckets: the buckets of the claim whose outcome is known. A shard that was lost to another process and taken
    ///     over again since has another epoch, and claims for itself.
    ///   - gained: the buckets whose alert this process may send; it never sends the others'.
    package func claimed(
        _ id: MatchID, _ version: StampedVersion, _ buckets: [AlertBucket: Int64], gained: Set<AlertBucket>
    ) {
        guard let match = matches[id] else { return }
        if var claim = match.claim, claim.version == version {
            claim.buckets = claim.buckets.filter { buckets[$0.key] == nil }
            match.claim = claim.buckets.isEmpty ? nil : claim
            if claim.buckets.isEmpty { match.claimsAreSlow = claim.ticks > Self.claimSlow }
        }
        let number = LoopMatch.number(version)
        for bucket in gained { if let epoch = buckets[bucket] { match.keepGained(number, bucket, epoch: epoch) } }
        for cohort in match.cohorts where buckets[cohort.bucket] == cohort.trust.epoch {
            // The answer to a claim that was given up is too late, whatever it says: the state has gone without the
            // alert.
            guard cohort.tried.insert(number).inserted else { continue }
            if gained.contains(cohort.bucket) {
                cohort.gained.insert(number)
            } else {
                tally.lostAlerts += match.lost(version, cohort)
            }
        }
        // Cohorts with another alert to claim wait again; the others start.
        startUnclaimed(of: match) { buckets[$0.bucket] != nil && !waits($0) }
        claimNext(match)
        wake()
    }
}
