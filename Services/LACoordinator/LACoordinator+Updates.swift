import APNsProtocol
import Activities
import Logging
import Messages
import Metrics
import Reactor
import ServiceKit
import SightscreenModels
import Store

extension LACoordinator {
    /// Alerts whose time is remembered; more than can be fresh.
    private static let alertsKept = 8
    /// Seconds after an alert in which its state is repeated by whoever has not done so.
    private static let repetitionMax = 120
    /// Between two changes of the provider token that APNs asked for: two that it takes neither of must not go to and fro.
    private static let tokenChangeMin = Duration.seconds(3)

    /// Takes in versions, and brings the activities of their matches to the newest ones.
    /// - Parameter areLogged: they were read from the log, with all alerts before them; else one came by doorbell, and
    ///   there may be versions between that were not heard of.
    func publish(_ updates: [MatchUpdate], areLogged: Bool) async {
        guard !updates.isEmpty else { return }
        var overtaken: [FanOutSpan] = []
        for update in updates { learn(update, match(update.matchID), isLogged: areLogged, &overtaken) }
        let before = await fanOut.publish(updates)
        for update in updates {
            let match = match(update.matchID)
            match.outThrough = max(match.outThrough, update.version)
        }
        end(overtaken, at: before)
    }

    private func learn(
        _ update: MatchUpdate, _ match: MatchFanOut, isLogged: Bool, _ overtaken: inout [FanOutSpan]
    ) {
        match.usedAt = .now
        if isLogged || update.version.rawValue == match.seenThrough.rawValue + 1 {
            match.seenThrough = max(match.seenThrough, update.version)
        }
        if let alert = update.alert {
            match.alertsAt[update.version] = alert.eventAt
            if match.alertsAt.count > Self.alertsKept, let oldest = match.alertsAt.keys.min() {
                match.alertsAt[oldest] = nil
            }
        }
        guard match.update.map({ $0.version < update.version }) ?? true else { return }
        // Alerts ride on a version as long as they are news. The first one that this process hears of may have been told by
        // another process, which did not live to repeat its state.
        let horizon =
            match.update == nil ? Self.repetitionMax : Int(configuration.alertFreshness.components.seconds)
        if match.update != nil { noteArrival(update, isLogged: isLogged) }
        match.update = update
        if let span = match.span { overtaken.append(span) }
        match.span = FanOutSpan(update, of: tracer, clock: clock)
        match.repeatDueAt = match.alertsAt.values.filter { clock.seconds - $0 <= horizon }.max()
            .map { $0 + APNsHeaders.alertLifetime }
    }

    // MARK: - What the loops ask for

    /// Each at once and beside the others: a slow statement must not keep a claim waiting.
    func handle(_ report: FanOutReport) {
        switch report {
        case .claim(let match, let version, let shards): Task { await claim(match, version, shards) }
        case .stamp(let match): Task { await takeStamp(match) }
        case .dead(let tokens): Task { await noteDead(tokens) }
        case .left(let match, let key): release(match, key)
        case .lostAlerts(let count):
            Counter(label: "sightscreen_alerts_lost_total").increment(by: Int64(count))
        case .expiredToken(let serial): Task { await replaceToken(serial) { try await $0.replacement(for: $1) } }
        case .tooManyTokens(let serial): Task { await replaceToken(serial) { try await $0.older(than: $1) } }
        case .stopped(let host, let cause):
            logger.warning(
                "APNs is in trouble: nothing but a push now and then goes there",
                metadata: ["apns.host": "\(host)", "cause": "\(cause)"])
        case .resumed(let host): logger.notice("APNs takes pushes again", metadata: ["apns.host": "\(host)"])
        case .closed(let host, let reason):
            countClosed(host: host)
            logger.info("APNs connection closed", metadata: ["apns.host": "\(host)", "reason": "\(reason)"])
        case .refused(let refusal):
            logger.error("APNs refuses our key or topic: nothing is sent for a minute", metadata: refusal.metadata)
        case .malformed(let refusal): logger.error("APNs calls a push malformed", metadata: refusal.metadata)
        }
    }

    /// A lease may have run out in the table while the database was away, and be renewed in a moment: whoever tried meanwhile has
    /// claimed nothing, and tries again for as long as the shard is ours under that lease: with another one its phones are read
    /// anew, and what was claimed before could be told to none of them. The others of the claim need not wait for that.
    private func claim(_ id: MatchID, _ version: MatchVersion, _ shards: [Int: Int64]) async {
        let patience = ContinuousClock.now + Self.claimPatience
        var asked = shards
        while true {
            let held = proofs.values.filter { asked[$0.shard] == $0.epoch }
            var claims = AlertClaims()
            do {
                claims = try await store.claimAlert(
                    id, version: version, buckets: Array(asked.keys), bucketCount: Self.bucketCount, holder: holder,
                    holds: held)
            } catch {
                TraceContext.$current.withValue(matches[id]?.span?.context) {
                    logger.warning(
                        "An alert could not be claimed: its state goes without it",
                        metadata: ["match.id": "\(id)", "error": "\(error)"])
                }
            }
            let isOver = isStopping || .now >= patience
            let again = asked.filter { shard, epoch in
                !isOver && proofs[shard]?.epoch == epoch && claims.unheld.contains(shard)
            }
            // A shard that was lost meanwhile is no longer ours to tell.
            let gained = claims.gained.filter { proofs[$0]?.epoch == asked[$0] }
            await fanOut.claimed(id, version, asked.filter { again[$0.key] == nil }, gained: gained)
            if again.isEmpty { return }
            asked = again
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func takeStamp(_ id: MatchID) async {
        var fresh: FreshStamp?
        var isAhead = false
        do {
            fresh = try await store.takeStamp(id)
            isAhead = fresh == nil
        } catch {}
        // A newer version than ours is read by the next pass.
        if let fresh, let match = matches[id] {
            match.fresh = fresh
            if fresh.version != match.update?.version {
                activitiesChanged()
                try? await Task.sleep(for: .milliseconds(50))
            }
        } else if isAhead {
            // The stamps are ahead of the clock: one is free with its next second.
            try? await Task.sleep(for: .milliseconds(1_010 - Int(clock.milliseconds % 1_000)))
        } else {
            // Not at once again.
            try? await Task.sleep(for: .milliseconds(200))
        }
        await fanOut.fresh(id, fresh)
    }

    /// Writes the verdicts down, however long the database takes: an activity that is active in the table and gets nothing
    /// would keep its follower from another start.
    private func noteDead(_ tokens: [FanOutReport.DeadToken]) async {
        let dead = tokens.map {
            ActivityStore.DeadToken(match: $0.match, token: $0.token, tokenAt: $0.tokenAt, isBad: $0.isBad)
        }
        var backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(10))
        var isSaid = false
        while true {
            do { return countBadTokens(try await store.retire(dead), .update) } catch {
                if !isSaid { logger.warning("Dead tokens cannot be retired yet", metadata: ["error": "\(error)"]) }
                isSaid = true
            }
            // Whoever takes over finds them dead again.
            if isStopping { return }
            try? await Task.sleep(for: backoff.next())
        }
    }

    /// Shows the loops the provider token of now.
    func showToken() async throws {
        let token = try await tokens.current()
        guard token != shownToken else { return }
        shownToken = token
        tokenSerial += 1
        await fanOut.setToken(token, serial: tokenSerial)
    }

    /// The loops send nothing with the token of this serial but a push now and then, and ask for another each time.
    private func replaceToken(
        _ serial: Int, with other: (ProviderTokenSource, String) async throws -> String
    ) async {
        guard serial == tokenSerial, let refused = shownToken, .now - tokenReplacedAt >= Self.tokenChangeMin else {
            return
        }
        // One that is too young to be replaced stays; so does one for which the database has no successor now.
        guard let token = try? await other(tokens, refused), token != refused, serial == tokenSerial else { return }
        shownToken = token
        tokenReplacedAt = .now
        tokenSerial += 1
        await fanOut.setToken(token, serial: tokenSerial)
    }

    // MARK: - In each pass

    /// Pushes with an alert expire a minute after their event: a phone that was off for longer gets the state again.
    func repeatAlertStates() async {
        for match in matches.values {
            guard let due = match.repeatDueAt, clock.seconds >= due, var update = match.update else { continue }
            // Nil or an error: the next pass tries again.
            guard let fresh = try? await store.takeStamp(match.id) else { continue }
            guard fresh.version == update.version, match.update?.version == update.version else { continue }
            match.repeatDueAt = nil
            update.stamp = fresh.stamp
            match.update = update
            // Should it not be everywhere yet: its counts begin anew.
            let span = match.span
            match.span = nil
            let before = await fanOut.publish([update], repeatsQuietly: true)
            if let span { end([span], at: before) }
        }
    }

    /// Notes how far the shards of each match have come.
    func settleProgress() async throws {
        var news = unsettled
        for (id, shard, progress) in await fanOut.settled() { news[id, default: [:]][shard] = progress }
        unsettled = news
        for (id, buckets) in news {
            let match = match(id)
            let newer = buckets.filter { $1.isNews(after: match.settled[$0]) }
            if !newer.isEmpty {
                try await store.settle(id, newer, bucketCount: Self.bucketCount)
                match.settled.merge(newer) { $1 }
            }
            unsettled[id] = nil
        }
    }

    /// What the loops did since the last pass.
    func count() async {
        let counts = await fanOut.takeCounts()
        for (push, count) in counts.pushes {
            Counter(
                label: "sightscreen_pushes_total",
                dimensions: [("kind", push.kind.rawValue), ("outcome", push.outcome)]
            ).increment(by: Int64(count))
        }
        for (failure, count) in counts.failures {
            Counter(label: "sightscreen_push_failures_total", dimensions: [("reason", failure.name)])
                .increment(by: Int64(count))
        }
        if counts.repetitions > 0 {
            Counter(label: "sightscreen_pushes_repeated_total").increment(by: Int64(counts.repetitions))
        }
        for (environment, count) in counts.stopped {
            Gauge(label: "sightscreen_apns_stopped", dimensions: [("environment", environment.rawValue)])
                .record(count)
        }
        if counts.held > 0 { Counter(label: "sightscreen_pushes_held_total").increment(by: Int64(counts.held)) }
        // A loop that has not had a version yet has nothing left to do, either.
        let untimed = matches.values.compactMap { match in
            match.update.flatMap { update in
                let isOut = update.version.rawValue > match.timedVersion && update.version <= match.outThrough
                return isOut ? (match: match, version: update.version.rawValue) : nil
            }
        }
        guard !untimed.isEmpty else { return }
        for (asked, progress) in zip(untimed, await fanOut.progress(untimed.map(\.match.id))) {
            if progress.version == asked.version, progress.isComplete { time(progress, asked.match) }
        }
    }
}

extension FanOutReport.APNsRefusal {
    fileprivate var metadata: Logger.Metadata {
        ["apns.status": "\(status)", "apns.reason": "\(reason)", "apns.host": "\(host)"]
    }
}
