import APNsProtocol
import Activities
import Logging
import Messages
import Metrics
import Sightscreen
import Store

extension LACoordinator {
    /// Takes in versions, and brings the activities of their matches to the newest ones.
    /// - Parameter areLogged: they were read from the log, with all alerts before them; else one came by doorbell, and
    ///   there may be versions between that were not heard of.
    func publish(_ updates: [MatchUpdate], areLogged: Bool) {
        var moved: Set<MatchID> = []
        for update in updates where learn(update, fanOut(update.matchID), isLogged: areLogged) {
            moved.insert(update.matchID)
        }
        for id in moved { go(fanOut(id)) }
    }

    private func go(_ match: MatchFanOut) {
        match.publishedAt = .now
        match.outstanding = match.rows.count
        if match.brake.stops(.pushes) { pusher.countHeld(match.rows.count) }
        proceed(match)
    }

    /// Claims what may be told, then looks at all activities.
    func proceed(_ match: MatchFanOut) {
        if match.alerts.entries.contains(where: { needsClaim($0, match) }) {
            Task { await claimAlerts(match) }
        } else {
            converge(match)
        }
    }

    /// - Returns: whether it is the newest version.
    private func learn(_ update: MatchUpdate, _ match: MatchFanOut, isLogged: Bool) -> Bool {
        if isLogged || update.version.rawValue == match.seenThrough.rawValue + 1 {
            match.seenThrough = max(match.seenThrough, update.version)
        }
        if let alert = update.alert, match.claims[update.version] == nil {
            match.alerts.published(update.version, alert)
            match.claims[update.version] = MatchFanOut.Claim(
                stamp: update.stamp,
                committedAtMs: update.committedAtMs ?? Int64(update.stamp.rawValue) * 1_000)
        }
        guard match.update.map({ $0.version < update.version }) ?? true else { return false }
        match.update = update
        match.payloads.removeAll()
        match.repeatsQuietly = false
        match.repeatDueAt = nil
        return true
    }

    /// Looks at all activities of a match.
    func converge(_ match: MatchFanOut) {
        match.isHeldUp = false
        if match.wasBraked, !match.brake.stops(.pushes) {
            // The time of the hold is not the fan-out's.
            match.wasBraked = false
            match.publishedAt = .now
            match.outstanding = match.behind
        }
        for row in match.rows.values { advance(row, of: match) }
    }

    /// Sends an activity the newest state, unless it shows it, something is under way, or it has to wait.
    func advance(_ row: RosterRow, of match: MatchFanOut) {
        guard let update = match.update, match.rows[row.key] === row else { return }
        // Until the claims are made nothing of this match leaves; it takes one round trip to the database.
        guard !match.isClaiming else { return }
        guard !match.brake.stops(.pushes) else {
            match.isHeldUp = true
            match.wasBraked = true
            return
        }
        if let retryAt = row.retryAt {
            guard retryAt <= .now else { return }
            row.retryAt = nil
        }
        guard pushes < Self.pushesMax else {
            match.isHeldUp = true
            return
        }
        guard let stamp = stamp(for: row, update, match) else {
            takeStamp(match)
            return
        }
        if case .send(let stamp) = row.convergence.published(stamp) { send(stamp, to: row, of: match, update) }
    }

    /// The stamp with which the newest state can go to an activity; nil when one has to be taken first.
    private func stamp(for row: RosterRow, _ update: MatchUpdate, _ match: MatchFanOut) -> Stamp? {
        let now = clock.seconds
        if let delivered = row.convergence.delivered {
            // It is not later than what it shows, or it is on its way to all; after a hold or an outage it could be so old
            // that the phone would call it stale.
            guard delivered < update.stamp, now - update.stamp.rawValue > Self.lateAfter else { return update.stamp }
        }
        if StampRule.isUsable(update.stamp, tokenAt: row.isNew ? Int(row.tokenAt) : nil, now: now) {
            return update.stamp
        }
        if let fresh = match.fresh, fresh.version == update.version, fresh.at >= row.tokenAt,
            StampRule.isUsable(fresh.stamp, tokenAt: nil, now: now)
        {
            return fresh.stamp
        }
        return nil
    }

    private func takeStamp(_ match: MatchFanOut) {
        match.isHeldUp = true
        guard !match.isTakingStamp else { return }
        match.isTakingStamp = true
        Task {
            defer { match.isTakingStamp = false }
            // Nil or an error: the next pass tries again. A newer version than ours is read there, too.
            guard let fresh = try? await store.takeStamp(match.id) else { return }
            match.fresh = fresh
            if fresh.version == match.update?.version { converge(match) } else { activitiesChanged() }
        }
    }

    // MARK: - Alerts

    private func needsClaim(_ entry: AlertRide.Entry, _ match: MatchFanOut) -> Bool {
        // Held: it is claimed when the hold is lifted, should it still be news.
        guard !match.brake.stops(.alerts) else { return false }
        guard match.alerts.isFresh(entry, now: clock.seconds), let claim = match.claims[entry.version] else {
            return false
        }
        return match.rows.values.contains { !claim.tried.contains($0.bucket) }
    }

    /// Claims the fresh alerts of a match for the buckets that have activities, before anything leaves. What was
    /// published meanwhile is claimed, too; then the match goes on.
    func claimAlerts(_ match: MatchFanOut) async {
        guard !match.isClaiming else { return }
        match.alerts.expire(now: clock.seconds)
        match.claims = match.claims.filter { version, _ in
            version >= match.seenThrough || match.alerts.entries.contains { $0.version == version }
        }
        guard match.alerts.entries.contains(where: { needsClaim($0, match) }) else { return }
        match.isClaiming = true
        while let entry = match.alerts.entries.first(where: { needsClaim($0, match) }) { await claim(entry, match) }
        match.isClaiming = false
        converge(match)
    }

    private func claim(_ entry: AlertRide.Entry, _ match: MatchFanOut) async {
        guard let tried = match.claims[entry.version]?.tried else { return }
        let buckets = Set(match.rows.values.map(\.bucket)).subtracting(tried)
        match.claims[entry.version]?.tried.formUnion(buckets)
        let before = holds
        let held = Array(before.values)
        do {
            let id = match.id
            async let wanted = store.alertLevels(id, shards: held.map(\.shard))
            let claimed = try await store.claimAlert(
                id, version: entry.version, buckets: Array(buckets), bucketCount: Self.bucketCount, holder: holder,
                holds: held)
            let levels = try await wanted
            // A shard that was lost meanwhile is no longer ours to tell.
            let gained = claimed.filter { bucket in
                let shard = Self.shard(ofBucket: bucket)
                return before[shard]?.epoch == holds[shard]?.epoch
            }
            guard var claim = match.claims[entry.version] else { return }
            claim.gained.formUnion(gained)
            claim.levels.merge(levels) { _, new in new }
            match.claims[entry.version] = claim
            noteLost(buckets.subtracting(gained), claim, entry, match)
        } catch {
            logger.warning(
                "An alert could not be claimed: its state goes without it",
                metadata: ["match.id": "\(match.id)", "error": "\(error)"])
        }
    }

    /// Claimed by a run before us: whoever had not got the state then has lost the alert.
    private func noteLost(
        _ buckets: Set<Int>, _ claim: MatchFanOut.Claim, _ entry: AlertRide.Entry, _ match: MatchFanOut
    ) {
        let lost = match.rows.values.count { row in
            buckets.contains(row.bucket) && isWanted(entry, by: row, claim)
                && (row.convergence.delivered.map { $0 < claim.stamp } ?? true)
        }
        if lost > 0 { countLostAlerts(lost) }
    }

    func countLostAlerts(_ count: Int = 1) {
        Counter(label: "sightscreen_alerts_lost_total").increment(by: Int64(count))
    }

    private func isWanted(_ entry: AlertRide.Entry, by row: RosterRow, _ claim: MatchFanOut.Claim) -> Bool {
        // What happened before the activity was there is no news on it, and may have been told to the one before. Stamps
        // are whole seconds, and run ahead of the clock.
        guard claim.committedAtMs >= Int64((row.tokenAt * 1_000).rounded(.down)) else { return false }
        return claim.levels[row.key.userID].map { entry.alert.isWanted(at: $0) } ?? false
    }

    /// Pushes with an alert expire a minute after their event: a phone that was off for longer gets the state again.
    func repeatAlertStates() async throws {
        for match in matches.values {
            guard let due = match.repeatDueAt, clock.seconds >= due, let update = match.update else { continue }
            guard let fresh = try await store.takeStamp(match.id) else { continue }
            guard fresh.version == update.version, match.update?.version == update.version else { continue }
            match.repeatDueAt = nil
            match.repeatsQuietly = true
            match.update?.stamp = fresh.stamp
            match.payloads.removeAll()
            converge(match)
        }
    }

    // MARK: - Sending

    private func send(_ stamp: Stamp, to row: RosterRow, of match: MatchFanOut, _ update: MatchUpdate) {
        let now = clock.seconds
        // An alert whose fate is unknown counts as told; one that came since is not held back by it.
        let isQuiet = match.brake.stops(.alerts)
        let entry =
            isQuiet
            ? nil
            : match.alerts.ride(after: row.alertedThrough, now: now) { entry in
                guard let claim = match.claims[entry.version], claim.gained.contains(row.bucket) else { return false }
                return isWanted(entry, by: row, claim)
            }
        let payload: PushPayload
        do { payload = try self.payload(stamp, entry, update, match) } catch {
            logger.error("A payload cannot be made", metadata: ["match.id": "\(match.id)", "error": "\(error)"])
            _ = row.convergence.answered(stamp, .accepted)
            return
        }
        let alertedBefore = row.alertedThrough
        if let entry {
            row.alertedThrough = entry.version
            match.repeatDueAt = max(match.repeatDueAt ?? 0, entry.alert.eventAt + 60)
        }
        let kind: APNsHeaders.UpdateKind =
            if let entry { .alert(eventAt: entry.alert.eventAt) } else if match.isInBreak {
                .beforeBreak(at: stamp.rawValue)
            } else { .routine(at: stamp.rawValue) }
        let priority = isQuiet ? .routine : priority(row, match, update, hasAlert: entry != nil)
        let headers = APNsHeaders.update(bundleID: configuration.apns.bundleID, priority: priority, kind)
        let (environment, token, gate) = (row.environment, row.token, row.gate)
        began(token)
        Task {
            let result = await pusher.push(
                .update, to: environment, path: APNsHeaders.path(token: token), headers: headers, payload: payload,
                gate: gate, unlessHeld: priority == .immediate ? .alerts : .pushes)
            ended(token)
            finished(row, of: match, stamp, alert: entry?.version, alertedBefore: alertedBefore, result)
        }
    }

    private func priority(
        _ row: RosterRow, _ match: MatchFanOut, _ update: MatchUpdate, hasAlert: Bool
    ) -> APNsPriority {
        if hasAlert { return .immediate }
        if row.repeatsQuietly || match.repeatsQuietly { return .routine }
        if row.convergence.delivered == nil { return row.isNew ? .immediate : .routine }
        // The version's priority was for an alert that this phone does not get.
        if update.alert != nil { return .routine }
        return update.priority == 10 ? .immediate : .routine
    }

    private func payload(
        _ stamp: Stamp, _ entry: AlertRide.Entry?, _ update: MatchUpdate, _ match: MatchFanOut
    ) throws(PayloadError) -> PushPayload {
        let variant = MatchFanOut.Variant(stamp: stamp, alert: entry?.version)
        if let known = match.payloads[variant] { return known }
        let payload = try LiveActivityPayload.update(
            stamp: stamp, contentState: update.contentState, staleAt: staleAt(stamp, match),
            relevance: update.relevance,
            alert: entry.map { PushAlert($0.alert) }
        ).encode()
        match.payloads[variant] = payload
        return payload
    }

    /// Ten minutes ahead in play; in breaks ten minutes after the next keep-alive.
    func staleAt(_ stamp: Stamp, _ match: MatchFanOut) -> Int {
        stamp.rawValue + 600 + (match.isInBreak ? Int(configuration.keepAliveInterval.components.seconds) : 0)
    }

    func began(_ token: UpdateToken) {
        pushes += 1
        pushesByToken[token, default: 0] += 1
    }

    func ended(_ token: UpdateToken) {
        pushes -= 1
        let left = (pushesByToken[token] ?? 1) - 1
        pushesByToken[token] = left > 0 ? left : nil
        if left <= 0, let claim = endsWaiting.removeValue(forKey: token) { releaseWaiting(claim) }
    }
}
