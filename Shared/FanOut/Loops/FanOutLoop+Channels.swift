import APNsProtocol
import Activities
import HTTP2
import Reactor
import SightscreenModels

/// Broadcast channels among the cohorts of a loop.
extension FanOutLoop {
    /// Brings the channels of some shards in line with the table.
    /// - Parameter channels: all open channels of these shards.
    package func update(_ channels: [ChannelEntry], of shards: Set<Int>) {
        let wanted = Dictionary(channels.map { ($0.key, $0) }) { first, _ in first }
        for match in matches.values {
            for channel in match.channels
            where shards.contains(channel.shard) && wanted[channel.entry.key]?.id != channel.entry.id {
                close(channel)
            }
        }
        for entry in channels {
            guard let trust = self.shards.trust(of: entry.shard) else { continue }
            let match = match(entry.key.match)
            if let known = match.channels.first(where: { $0.entry.key == entry.key }) {
                known.listeners = entry.listeners
            } else {
                open(entry, match, trust)
            }
        }
        wake()
    }

    private func open(_ entry: ChannelEntry, _ match: LoopMatch, _ trust: ShardTrust) {
        let now = MonotonicTime.now
        let rest = max(0, entry.restsUntil - clock.now)
        let pacer = ChannelPacer(
            perMinute: entry.perMinute, restsUntil: rest > 0 ? now + Int64(rest * 1e9) : 0, now: now)
        let cohort = cohorts.add { number in
            ChannelCohort(
                number: number, match: match, trust: trust, since: clock.seconds, bundleID: rules.bundleID,
                entry: entry, pacer: pacer)
        }
        if shards.isClosing(entry.shard) { cohort.stage = .closing }
        match.addGained(to: cohort)
        match.channels.append(cohort)
        match.progress.targeted += cohort.reach
        cohort.queue(0)
        claimUntried(cohort)
        list(cohort)
    }

    /// Publishes nothing more to a channel.
    private func close(_ channel: ChannelCohort) {
        channel.stage = .lost
        pools[channel.environment]?.unlist(channel)
        channel.match.channels.removeAll { $0 === channel }
        channel.match.unclaimed.removeAll { $0 === channel }
        forget(channel)
    }

    /// Repeats the newest state on the match's channels whose last publish is as old as a heartbeat.
    func beat(_ match: LoopMatch, at now: Int64) {
        guard match.update != nil else { return }
        for channel in match.channels where channel.beat(at: now) { list(channel) }
    }

    /// Notes that a channel's pace keeps a state from leaving. The state is tried again with each tick.
    func holdBack(_ cohort: any Cohort, _ slot: Int, _ stamp: UInt32) {
        cohort.queue(slot)
        guard let channel = cohort as? ChannelCohort, channel.noteHeldBack(stamp) else { return }
        if channel.pacer.isResting(MonotonicTime.now) { tally.rested += 1 } else { tally.paced += 1 }
    }

    /// Applies what a refusal means for the channel.
    /// - Returns: whether it means anything for the channel.
    func refused(_ channel: ChannelCohort, _ answer: APNsAnswer, _ outcome: UpdateOutcome) -> Bool {
        switch outcome.phone {
        case .channelGone:
            close(channel)
            report(.channelGone(channel.entry.key, reason: answer.reasonText ?? ""))
        case .broadcastOff:
            close(channel)
            report(.broadcastOff(channel.environment, reason: answer.reasonText ?? ""))
        case .retry where answer.status == 429:
            if let seconds = channel.throttled(retryAfter: answer.retryAfter, clock: clock) {
                report(
                    .channelThrottled(
                        channel.entry.key, perMinute: channel.pacer.perMinute,
                        restsUntil: clock.now + Double(seconds)))
            }
            // It was not processed, so the alert that it carried is still due.
            channel.row(0).pointee.flags.insert(.repeatsFreely)
            channel.queue(0)
            list(channel)
        default: return false
        }
        return true
    }
}
