import Activities
import HTTP2
import Reactor
package import SightscreenModels

extension FanOutLoop {
    /// Returns the current figures of this loop.
    package func measure() -> FanOutMeasure {
        var measure = FanOutMeasure()
        (measure.phones, measure.backlogs) = (count, backlogs())
        let now = MonotonicTime.now
        for backlog in measure.backlogs.values {
            for channel in backlog.channels {
                measure.phones += channel.listeners
                measure.channels[channel.key.audience, default: .init()].add(
                    .init(open: 1, resting: backlog.rests(channel, at: now) ? 1 : 0))
            }
        }
        for (environment, pool) in pools {
            measure.pools[environment] = .init(
                connections: pool.openConnections, inFlight: pool.inFlight, stopped: pool.stopped, lost: pool.lost,
                isTested: pool.hasAccepted || pool.provenPhones > 0, untestedAccounts: pool.untestedAccounts)
        }
        return measure
    }

    /// Returns what the phones and channels of each match lack.
    package func backlogs() -> [MatchID: MatchBacklog] { matches.mapValues { backlog(of: $0) } }

    private func backlog(of match: LoopMatch) -> MatchBacklog {
        let (now, seconds) = (MonotonicTime.now, clock.now)
        var backlog = MatchBacklog()
        (backlog.heldAt, backlog.isHeld) = (match.heldAt, match.hold.stops(.pushes))
        func acceptedAt(_ cohorts: [TokenCohort]) -> Int64 { cohorts.reduce(match.knownAt) { max($0, $1.acceptedAt) } }
        let ofAll = acceptedAt(match.tokens)
        let ofProduction = acceptedAt(match.tokens.filter { $0.environment == .production })
        for cohort in match.tokens {
            guard !backlog.isHeld else {
                backlog.leftOut.held += cohort.count
                continue
            }
            backlog.leftOut.infrequent += cohort.infrequent.count
            backlog.leftOut.backingOff += cohort.backlog.backingOff
            backlog.phones += cohort.backlog.rows
            for (one, knownFor) in cohort.backlog.waits(at: now, seconds) {
                var wait = one
                wait.acceptedAt = cohort.environment == .production ? ofProduction : ofAll
                if knownFor < Double(rules.newFor) {
                    backlog.phones -= wait.phones
                    backlog.leftOut.new += wait.phones
                } else {
                    backlog.add(wait)
                }
            }
        }
        backlog.channels = match.channels.map { channel in
            MatchBacklog.Channel(
                key: channel.entry.key, listeners: channel.listeners,
                wait: channel.backlog.waits(at: now, seconds).first?.wait, acceptedAt: channel.acceptedAt,
                restsUntil: channel.pacer.restsUntil, perMinute: channel.pacer.perMinute)
        }
        return backlog
    }
}
