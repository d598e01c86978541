import Activities
import SightscreenModels

/// Brings every activity to the newest state.
extension LabCoordinator {
    static let alertFreshness = 30_000

    func advance(_ key: RowKey) {
        guard let row = rows[key], !row.isDropped, trusts(key.life), busy[row.token] == nil else { return }
        if row.retryAt > world.now { return look(in: row.retryAt - world.now) }
        let match = world.database.match(key.life.match)
        guard match.version > 0 else { return }
        let isBehind =
            row.isNew || row.versionSent < match.version
            || row.convergence.newest.map { $0.rawValue < match.stamp } ?? true
        if !isBehind && row.convergence.isSettled { return }
        guard let stamp = usableStamp(key.life.match, match, row) else { return look(in: 1_000) }
        guard case .send(let sent) = row.convergence.published(Stamp(stamp)) else { return }
        var push = LabPush(kind: .update, key: key.life)
        push.generation = key.generation
        push.token = row.token
        push.stamp = sent.rawValue
        push.version = match.version
        push.content = match.content
        push.epoch = world.database.losses
        push.expiry = world.now + 900_000
        let alertedBefore = row.alertedThrough
        if let alert = alert(match, row, key.life) {
            push.alert = alert.id
            row.alertedThrough = alert.id
            push.expiry = alert.at + 60_000
        }
        send(push, key, row, alertedBefore)
    }

    /// The newest version's stamp, or a fresh one where that is too old for this phone.
    private func usableStamp(_ id: Int, _ match: LabDatabase.Match, _ row: Row) -> Int? {
        let tokenAt = row.isNew ? row.tokenAt / 1_000 : nil
        if StampRule.isUsable(Stamp(match.stamp), tokenAt: tokenAt, now: world.seconds) { return match.stamp }
        if let fresh = fresh[id], fresh.version == match.version, fresh.stamp == match.stamp, fresh.at >= row.tokenAt,
            StampRule.isUsable(Stamp(fresh.stamp), tokenAt: nil, now: world.seconds)
        {
            return fresh.stamp
        }
        // Taken after the token came, it is later than whatever came before.
        guard let stamp = world.database.takeStamp(id) else { return nil }
        fresh[id] = Fresh(stamp: stamp, version: match.version, at: world.now)
        return stamp
    }

    private func alert(_ match: LabDatabase.Match, _ row: Row, _ key: LifeKey) -> LabDatabase.Alert? {
        guard !row.repeatsQuietly else { return nil }
        guard
            let alert = match.alerts.last(where: {
                world.now - $0.at <= Self.alertFreshness && $0.id > row.alertedThrough && $0.at >= row.tokenAt
            })
        else { return nil }
        if world.bug == .alertsAreNotClaimed { return alert }
        return claimedHere.contains(LabDatabase.Claim(alert: alert.id, user: key.user))
            || world.database.claim(alert.id, user: key.user) && remember(alert.id, key.user) ? alert : nil
    }

    private func remember(_ alert: Int, _ user: Int) -> Bool {
        claimedHere.insert(LabDatabase.Claim(alert: alert, user: user))
        return true
    }

    private func send(_ push: LabPush, _ key: RowKey, _ row: Row, _ alertedBefore: Int) {
        busy[row.token] = push.stamp
        world.aboutToLeave?(push, self)
        after(world.random.below(40)) { [unowned self] in
            // The last look before it leaves.
            guard !row.isDropped || world.bug == .endedRowsGoOn, trusts(key.life) else {
                if push.alert != nil { row.alertedThrough = alertedBefore }
                row.convergence.answered(Stamp(push.stamp), .notDelivered, thenSend: false)
                return becameFree(row.token)
            }
            row.versionSent = push.version
            world.oracle.begins(push, by: number)
            let mine = incarnation
            world.apns.send(push) { [unowned self] answer in
                guard mine == incarnation else { return }
                after(0) { [unowned self] in answered(push, key, row, alertedBefore, answer) }
            }
        }
    }

    private func answered(_ push: LabPush, _ key: RowKey, _ row: Row, _ alertedBefore: Int, _ answer: LabAnswer) {
        let stamp = Stamp(push.stamp)
        switch answer {
        case .accepted:
            row.failures = 0
            row.isNew = false
            row.repeatsQuietly = false
            row.convergence.answered(stamp, .accepted, thenSend: false)
        case .unknown:
            // The phone may have been told: the alert is never repeated.
            if world.bug == .alertsAreRepeated { row.alertedThrough = alertedBefore } else { row.repeatsQuietly = true }
            let answer: ActivityConvergence.Answer =
                world.bug == .unknownCountsAsShown ? .accepted : .notDelivered
            row.convergence.answered(stamp, answer, thenSend: false)
            if world.bug == .unknownCountsAsShown { row.isNew = false } else { retry(row, 500) }
        case .trouble:
            if push.alert != nil { row.alertedThrough = alertedBefore }
            row.convergence.answered(stamp, .notDelivered, thenSend: false)
            if world.bug == .troubleKillsTokens { retire(key, row, since: nil) } else { retry(row, 1_000) }
        case .dead(let since):
            row.convergence.answered(stamp, .notDelivered, thenSend: false)
            retry(row, 10_000)
            retire(key, row, since: since)
        }
        becameFree(row.token)
    }

    private func retry(_ row: Row, _ least: Int) {
        row.failures += 1
        row.retryAt = world.now + min(least << min(row.failures - 1, 6), 10_000)
    }

    /// Writes the verdict down, however long the database is away.
    private func retire(_ key: RowKey, _ row: Row, since: Int?) {
        guard world.database.isUp else {
            row.retryAt = world.now + 3_600_000
            return after(1_000) { [unowned self] in
                row.retryAt = 0
                retire(key, row, since: since)
            }
        }
        guard holds(key.life) else { return }
        let told = world.bug == .verdictTimesAreIgnored ? nil : since
        world.oracle.verdict(key.life, row.token, since: since)
        if world.bug == .deadTokensAreUsedOn { return }
        world.database.handle(
            key.life, .updateAnswered(row.token, .tokenDead(since: told.map { Moment(milliseconds: $0) })))
    }
}
