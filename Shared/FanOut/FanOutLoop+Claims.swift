import Reactor
import Activities
package import SightscreenModels

/// Alerts are claimed for a few cohorts after the other, and the state of those waits for the answer: it takes the alert
/// with it.
extension FanOutLoop {
    /// Phones for which alerts are claimed at once: those are lost when the process dies then.
    private static let claimedMax = 1_000
    /// In ticks, two seconds. A cohort does not wait any longer: its state goes without the alert, which nobody there is
    /// told any more, since the claim may stand in the table. Ticks are not counted while the process stands still.
    private static let claimPatience = 40
    /// In ticks, half a second. After an answer that took longer, and after none, what is left is claimed in one go:
    /// with as many waits as there are shards the last would get its state when it is no news.
    private static let claimSlow = 10

    /// An alert that may still be told and was not claimed for this cohort.
    func untried(_ cohort: TokenCohort) -> MatchVersion? {
        let match = cohort.match
        // Held: it is claimed when the hold is lifted, should it still be news.
        guard cohort.count > 0, !match.brake.stops(.alerts) else { return nil }
        let now = clock.seconds
        return match.alerts.entries.last {
            match.alerts.isFresh($0, now: now) && !cohort.tried.contains(LoopMatch.number($0.version))
        }?.version
    }

    /// Whether it waits for an alert to be claimed. What is about to be another process's claims nothing more, and tells what it
    /// has claimed.
    func waits(_ cohort: TokenCohort) -> Bool { !isFinishing && cohort.stage != .closing && untried(cohort) != nil }

    /// Those that waited for another claim, and have an alert that only this process can tell, go.
    func stopWaiting(_ match: LoopMatch) {
        startUnclaimed(of: match) { cohort in
            !waits(cohort) && !cohort.gained.isEmpty && match.claim?.shards[cohort.shard] == nil
        }
    }

    private func startUnclaimed(of match: LoopMatch, where isReady: (TokenCohort) -> Bool) {
        let ready = match.unclaimed.filter(isReady)
        match.unclaimed.removeAll { cohort in ready.contains { $0 === cohort } }
        for cohort in ready { start(cohort) }
    }

    /// Alerts that came with a version that was read late, and those that a hold kept from being claimed.
    func claimUntried(_ match: LoopMatch) {
        if match.alerts.hasFresh(now: clock.seconds) {
            for cohort in match.cohorts { claimUntried(cohort) }
        }
        claimNext(match)
    }

    func claimUntried(_ cohort: TokenCohort) {
        let match = cohort.match
        guard cohort.work != .unclaimed, waits(cohort) else { return }
        waitForClaim(cohort)
        claimNext(match)
    }

    /// Its state takes the alert with it.
    func waitForClaim(_ cohort: TokenCohort) {
        lines[cohort.environment]?.unlist(cohort)
        cohort.work = .unclaimed
        cohort.match.unclaimed.append(cohort)
    }

    /// Asks for the next few claims: what is claimed and not sent is lost when the process dies. A claim is for all phones of
    /// a shard, so that one that is still being read would be one for more than are known.
    func claimNext(_ match: LoopMatch) {
        guard !isFinishing, match.claim == nil, !match.cohorts.contains(where: { $0.work == .listed(.alert) })
        else { return }
        while let place = match.unclaimed.lastIndex(where: { shards.takesClaims($0.shard) }) {
            let first = match.unclaimed[place]
            guard let version = untried(first) else {
                match.unclaimed.remove(at: place)
                start(first)
                continue
            }
            var asked: [Int: Int64] = [:]
            var phones = 0
            for cohort in match.unclaimed[...place].reversed()
            where asked[cohort.shard] == nil && shards.takesClaims(cohort.shard) {
                guard asked.isEmpty || match.claimsAreSlow || phones + cohort.count <= Self.claimedMax else { break }
                asked[cohort.shard] = cohort.trust.epoch
                phones += cohort.count
            }
            match.claim = LoopMatch.Claim(version: version, shards: asked)
            report(.claim(match.id, version, shards: asked))
            return
        }
    }

    /// Called with each tick: a claim that is not answered is given up.
    func giveUpLateClaim(_ match: LoopMatch) {
        guard var claim = match.claim else { return }
        claim.ticks += 1
        match.claim = claim
        if claim.ticks >= Self.claimPatience { claimed(match.id, claim.version, claim.shards, gained: []) }
    }

    /// The claims that `FanOutReport.claim` asked for.
    /// - Parameters:
    ///   - shards: all of those, or those of them for which it is known. What was lost and taken over anew since has another
    ///     epoch, and claims for itself.
    ///   - gained: those of the shards that may tell the alert; the others never will.
    package func claimed(_ id: MatchID, _ version: MatchVersion, _ shards: [Int: Int64], gained: Set<Int>) {
        guard let match = matches[id] else { return }
        if var claim = match.claim, claim.version == version {
            claim.shards = claim.shards.filter { shards[$0.key] == nil }
            match.claim = claim.shards.isEmpty ? nil : claim
            if claim.shards.isEmpty { match.claimsAreSlow = claim.ticks > Self.claimSlow }
        }
        let number = LoopMatch.number(version)
        for cohort in match.cohorts where shards[cohort.shard] == cohort.trust.epoch {
            // One that was given up is answered too late, whatever the answer: the state has gone without it.
            guard cohort.tried.insert(number).inserted else { continue }
            if gained.contains(cohort.shard) {
                cohort.gained.insert(number)
            } else {
                tally.lostAlerts += match.lost(version, cohort)
            }
        }
        // Those with another alert to claim come again; the others go.
        startUnclaimed(of: match) { shards[$0.shard] != nil && !waits($0) }
        claimNext(match)
        wake()
    }
}
