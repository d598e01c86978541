import Reactor
import APNsProtocol
import Activities
import HTTP2
import SightscreenModels

extension FanOutLoop {
    /// The longest `retry-after` that is obeyed for a phone, in seconds.
    private static let retryAfterMax = 900

    enum Turn {
        case sent
        /// The connection has no room now.
        case noRoom
        /// The cohort has nothing left for this sweep.
        case done
        /// Something keeps the cohort from going on.
        case paused
    }

    /// Sends the next push of a cohort over a connection.
    func next(_ cohort: any Cohort, over sender: HTTP2Sender, _ pool: APNsConnectionPool) -> Turn {
        let match = cohort.match
        let asked = match.bytesMax
        guard let authorization, sender.hasRoom(forBody: asked),
            pool.mayShow(authorization.serial, on: sender)
        else { return .noRoom }
        // The lease is checked for each push, because this thread may have stalled since the last one.
        guard cohort.stage != .lost, !match.hold.stops(.pushes), cohort.trust.isHeld else { return .paused }
        let now = clock.seconds
        while let (slot, wasQueued) = cohort.nextSlot() {
            if let turn = push(cohort, slot, wasQueued: wasQueued, asked, authorization, now, sender, pool) {
                return turn
            }
        }
        return .done
    }

    /// Sends the push to a row.
    /// - Returns: nil when it needs none now.
    private func push(
        _ cohort: any Cohort, _ slot: Int, wasQueued: Bool, _ asked: Int, _ authorization: ProviderAuthorization,
        _ now: Int, _ sender: HTTP2Sender, _ pool: APNsConnectionPool
    ) -> Turn? {
        let match = cohort.match
        let row = cohort.row(slot)
        let selection = match.selection(for: row, cohort, now: now)
        // An alert sweep, a shard that is being handed over and a loop that finishes send only alerts; other phones
        // are skipped.
        if selection.isEmpty, cohort.stage == .closing || isFinishing || cohort.work.sweep == .alert && !wasQueued {
            return nil
        }
        let isInfrequent = row.pointee.flags.contains(.isInfrequent)
        let left = selection.isEmpty ? ImmediateBudget.forAlerts : 0
        let mayBeImmediate =
            !isInfrequent || immediates.hasRoom(cohort.infrequentPhone(slot), leaving: left, now: now)
        switch match.need(row, selection, of: cohort, mayBeImmediate: mayBeImmediate, now: now) {
        case .nothing:
            if match.repeatsQuietly { cohort.needsSettling = true }
            return nil
        case .stamp:
            // Only this row waits for the fresh stamp; the others go on.
            cohort.awaitStamp(slot)
            if !match.isTakingStamp {
                match.isTakingStamp = true
                report(.stamp(match.id))
            }
            return nil
        case .push(let variant):
            guard cohort.allows(variant) else {
                holdBack(cohort, slot, variant.stamp)
                return .paused
            }
            let hadThis = row.pointee.tried >= match.stamp
            let isRepetition = hadThis && !row.pointee.flags.contains(.repeatsFreely)
            if isRepetition, !pool.hasRoomForRepetition {
                cohort.block(slot)
                return nil
            }
            // The first payload of a variant may be longer than any before it.
            guard variant.body.count <= asked || sender.hasRoom(forBody: variant.body.count) else {
                cohort.queue(slot)
                return .noRoom
            }
            let template = cohort.template(variant, pool.authority, authorization)
            let tag = cohort.number << 32 | slot
            let isSubmitted = cohort.withPath(slot, path) {
                sender.submit(
                    path: $0, headers: template, body: variant.body, tag: tag,
                    deadline: sender.now + APNsConnectionPool.timeout)
            }
            guard isSubmitted else {
                cohort.queue(slot)
                pool.drain(sender)
                return .noRoom
            }
            pool.sent(tag, isRepetition: isRepetition)
            if isInfrequent, variant.priority == .immediate {
                immediates.spend(cohort.infrequentPhone(slot), now: now)
            }
            row.pointee.sent(
                stamp: variant.stamp, alert: variant.alert, serial: authorization.serial, isFirst: !hadThis)
            cohort.noteSent(variant)
            cohort.inFlight += 1
            match.progress.sent += 1
            return .sent
        }
    }

    // MARK: - Probes

    /// Returns the row that probes a stopped host: the next one after `last` with a proven token and something to send,
    /// else the one that was tried longest ago. So a row whose probe failed comes last.
    func probeRow(_ pool: APNsConnectionPool, after last: ProbeRow.Place) -> ProbeRow? {
        let all = cohorts.all.filter {
            $0.environment == pool.environment && $0.stage != .lost && $0.work != .unclaimed && $0.trust.isHeld
                && !$0.match.hold.stops(.pushes)
        }
        let now = clock.seconds
        var longestAgo: ProbeRow?
        // Those after the last probe come first, then the others.
        for isAfter in [true, false] {
            for cohort in all {
                let newest = cohort.match.stamp
                let sendsOnlyAlerts = isFinishing || cohort.stage == .closing
                let next = last.nextSlot(of: cohort)
                for slot in isAfter ? next..<cohort.slots : 0..<next {
                    let row = cohort.row(slot)
                    guard row.pointee.flags.contains(.isUsed), !row.pointee.flags.contains(.isDraining),
                        row.pointee.inFlightStamp == 0, row.pointee.delivered < newest,
                        !sendsOnlyAlerts || owesAlert(cohort, slot, now: now)
                    else { continue }
                    let found = ProbeRow(cohort: cohort, slot: slot, isProven: row.pointee.isProven)
                    if found.isProven { return found }
                    if let known = longestAgo, known.cohort.row(known.slot).pointee.tried <= row.pointee.tried {
                        continue
                    }
                    longestAgo = found
                }
            }
        }
        return longestAgo
    }

    /// Sends the push of a row that probes a stopped host.
    /// - Returns: whether there was room; nil when the row needs no push.
    func probe(_ probe: ProbeRow, over sender: HTTP2Sender, _ pool: APNsConnectionPool) -> Bool? {
        let (cohort, asked) = (probe.cohort, probe.cohort.match.bytesMax)
        guard let authorization, sender.hasRoom(forBody: asked), pool.mayShow(authorization.serial, on: sender) else {
            return false
        }
        let turn = push(
            cohort, probe.slot, wasQueued: true, asked, authorization, clock.seconds, sender, pool)
        // A row that could not leave was queued, perhaps in a cohort that had nothing else to do.
        if !cohort.retries.isEmpty { list(cohort) }
        return switch turn {
        case .sent: true
        case .noRoom: false
        case .done, .paused, nil: nil
        }
    }

    // MARK: - Answers

    func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender, _ pool: APNsConnectionPool) {
        guard let cohort = cohorts[tag >> 32] else { return }
        let tokens = cohort as? TokenCohort
        let slot = tag & 0xffff_ffff
        let row = cohort.row(slot)
        let (stamp, key) = (row.pointee.inFlightStamp, row.pointee.key)
        row.pointee.inFlightStamp = 0
        cohort.inFlight -= 1
        cohort.needsSettling = true
        let wasDraining = row.pointee.flags.contains(.isDraining)
        let isGone = wasDraining || cohort.stage == .lost
        switch outcome {
        case .response(let response) where response.status == 200:
            sender.notes.isProven = true
            pool.accepted(tag, kind: cohort.kind, of: tokens == nil ? nil : row.pointee.key.account)
            if let tokens {
                pool.badTokens.noteGood(isProven: row.pointee.isProven)
                tokens.prove(slot)
            } else if let channel = cohort as? ChannelCohort {
                channel.pacer.accepted(alert: channel.carried?.alert, at: MonotonicTime.now)
            }
            accepted(row, cohort, slot, stamp)
        case .response(let response): refused(row, cohort, tag, stamp, response, pool, sender)
        case .refused:
            noteRefused(row, cohort)
            // A push that was not processed because its connection closed says nothing about APNs.
            let isFree = sender.isGoingAway
            pool.notProcessed(tag, kind: cohort.kind, isFree: isFree)
            if isFree { row.pointee.flags.insert(.repeatsFreely) }
            failed(.notProcessed, row, cohort, stamp)
            if !isGone { retry(row, cohort, slot, from: .milliseconds(20)) }
        case .unknown(let reason):
            if row.pointee.carriesAlert { tally.lostAlerts += cohort.reach }
            row.pointee.unanswered()
            cohort.setBackingOff(row, false)
            pool.unanswered(tag, reason, kind: cohort.kind)
            failed(.unanswered, row, cohort, stamp)
            // A lost connection is replaced in a moment; a host that does not answer is given more time.
            let wait: Duration = if case .connectionLost = reason { .milliseconds(100) } else { .milliseconds(500) }
            if !isGone { retry(row, cohort, slot, from: wait) }
        }
        if row.pointee.flags.contains(.isDraining), !row.pointee.flags.contains(.isQueued) { cohort.release(slot) }
        // Only the answer to a removed row counts, not one to another token that the activity has got since.
        if wasDraining, let tokens, tokens.noteLastAnswer(key) { report(.drained(cohort.match.id, key)) }
        forget(cohort)
    }

    private func accepted(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort, _ slot: Int, _ stamp: UInt32
    ) {
        let isNew = row.pointee.flags.contains(.isNew)
        cohort.accepted(row, stamp: stamp)
        let (match, now) = (cohort.match, MonotonicTime.now)
        cohort.acceptedAt = now
        guard stamp >= match.stamp else {
            match.progress.superseded += cohort.reach
            guard !row.pointee.flags.contains(.isDraining), cohort.stage != .lost else { return }
            cohort.queue(slot)
            return list(cohort)
        }
        match.progress.accepted += cohort.reach
        if let failure = row.pointee.failure {
            match.progress.failed[failure, default: cohort.reach] -= cohort.reach
            row.pointee.failure = nil
        }
        if row.pointee.carriesAlert { match.progress.alerted += cohort.reach }
        // A phone that came later says nothing about how long the version took.
        guard !isNew else { return }
        if match.progress.firstAcceptedAt == 0 { match.progress.firstAcceptedAt = now }
        match.progress.lastAcceptedAt = now
    }

    /// Counts a push that was not accepted. A phone counts once per version, by its last failure, and no longer once a
    /// push is accepted.
    private func failed(
        _ failure: PushFailure, _ row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort, _ stamp: UInt32
    ) {
        tally.failures[failure, default: 0] += 1
        let match = cohort.match
        guard stamp >= match.stamp else { return }
        if let before = row.pointee.failure {
            match.progress.failed[before, default: cohort.reach] -= cohort.reach
        }
        row.pointee.failure = failure
        match.progress.failed[failure, default: 0] += cohort.reach
    }

    private func refused(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort, _ tag: Int, _ stamp: UInt32,
        _ response: HTTP2Response, _ pool: APNsConnectionPool, _ sender: HTTP2Sender
    ) {
        noteRefused(row, cohort)
        var answer = APNsAnswer(status: response.status, body: response.body)
        answer.retryAfter = response.retryAfter
        var outcome = UpdateOutcome(answer)
        let (tokens, channel) = (cohort as? TokenCohort, cohort as? ChannelCohort)
        // A channel's limit says nothing about the host.
        if channel != nil, outcome.host == .throttled { outcome.host = .healthy }
        failed(PushFailure(answer), row, cohort, stamp)
        let target = tokens.map { _ in
            PushTarget(
                token: row.pointee.tokenHash, account: row.pointee.key.account, isProven: row.pointee.isProven)
        }
        let finding = pool.refused(
            tag, answer, outcome, kind: cohort.kind, serial: serial(of: row), target: target, on: sender)
        guard !row.pointee.flags.contains(.isDraining), cohort.stage != .lost else { return }
        let slot = tag & 0xffff_ffff
        if let channel, refused(channel, answer, outcome) { return }
        // While the host is stopped, most tokens were answered like this one.
        cohort.setBackingOff(row, tokens != nil && outcome.isAboutToken && pool.stopCause == nil)
        switch outcome.phone {
        case .retire(let sinceMs):
            guard let tokens, isAbout(row, sinceMs) else {
                // The answer is about an earlier life of the token.
                return retry(row, cohort, slot, from: .seconds(1), to: .seconds(60))
            }
            retire(row, tokens, slot, isBad: false)
        case .retireUnlessMany where tokens != nil: if let tokens { noteBadToken(row, tokens, slot, pool) }
        case .notForTopic where finding == .otherApp: if let tokens { retire(row, tokens, slot, isBad: true) }
        case .notForTopic:
            if let tokens, !row.pointee.isProven {
                wait(tokens, slot)
            } else {
                retry(row, cohort, slot, from: .seconds(10), to: .seconds(60))
            }
        case .skipVersion, .shows, .retireUnlessMany, .channelGone, .broadcastOff:
            // This version cannot be sent to the phone as it is; the next one may be.
            row.pointee.delivered = max(row.pointee.delivered, stamp)
            if stamp < cohort.match.stamp {
                cohort.queue(slot)
                list(cohort)
            }
        case .retryAtOnce:
            row.pointee.flags.insert(.repeatsFreely)
            cohort.queue(slot)
            list(cohort)
        case .retry(let first, let most):
            // A failing host's `retry-after` is obeyed by the breaker, not by each phone, which may be due another
            // version by then.
            let asked = outcome.host == .error ? 0 : min(answer.retryAfter ?? 0, Self.retryAfterMax)
            retry(
                row, cohort, slot, from: .milliseconds(first), to: .milliseconds(most), notBefore: .seconds(asked))
        }
    }

    /// Notes a push that was not processed. The alert of a publish is lost if it is not fresh any more.
    private func noteRefused(_ row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort) {
        if row.pointee.carriesAlert, let carried = (cohort as? ChannelCohort)?.carried,
            !cohort.match.alerts.entries.contains(where: { LoopMatch.number($0.version) == carried.alert })
        {
            tally.lostAlerts += cohort.reach
        }
        row.pointee.refused()
    }

    /// Returns the serial of the provider token that the last push to the row showed: the current one or the one
    /// before.
    private func serial(of row: UnsafeMutablePointer<CohortRow>) -> Int {
        let serial = authorization?.serial ?? 0
        return row.pointee.flags.contains(.showsOddToken) == serial.isMultiple(of: 2) ? serial - 1 : serial
    }

    /// Whether APNs' word from this time (nil: without a time) is about the token as it is registered.
    private func isAbout(_ row: UnsafeMutablePointer<CohortRow>, _ sinceMs: Int64?) -> Bool {
        func moment(_ seconds: Double) -> Moment { Moment(milliseconds: Int((seconds * 1_000).rounded(.down))) }
        return DeadTokenRule.isAbout(
            registered: moment(row.pointee.tokenAt), since: sinceMs.map { Moment(milliseconds: Int($0)) })
    }

    private func retire(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ slot: Int, isBad: Bool
    ) {
        tally.dead.append(
            .init(
                match: cohort.match.id, token: UpdateToken(cohort.token(slot)), tokenAt: row.pointee.tokenAt,
                isBad: isBad))
        cohort.retire(slot)
    }

    /// Makes a token that APNs called bad a candidate. The token is retired when the detector rejects it, and waits
    /// until then.
    private func noteBadToken(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ slot: Int, _ pool: APNsConnectionPool
    ) {
        pool.badTokens.noteBad(
            .registered(CandidateToken(cohort: cohort, slot: slot, key: row.pointee.key, tokenAt: row.pointee.tokenAt)),
            of: row.pointee.key.account, isProven: row.pointee.isProven)
        wait(cohort, slot)
    }

    /// Delays a phone whose token APNs called bad or not for our topic, with waits that grow longer if no push to the
    /// token was ever accepted.
    func wait(_ cohort: TokenCohort, _ slot: Int) {
        let row = cohort.row(slot)
        let longest = row.pointee.isProven ? .seconds(60) : BadTokenDetector<BadTokenCandidate>.unprovenWait
        retry(row, cohort, slot, from: .seconds(60), to: longest)
    }

    /// Whether the candidate's token is still the registered one; that of an end need not be.
    func isCurrent(_ candidate: BadTokenCandidate) -> Bool {
        guard case .registered(let candidate) = candidate else { return true }
        let cohort = candidate.cohort
        return cohort.stage != .lost && cohort.slot(candidate.key) == candidate.slot
            && cohort.row(candidate.slot).pointee.tokenAt == candidate.tokenAt
    }

    func reject(_ candidate: BadTokenCandidate) {
        switch candidate {
        case .registered(let token):
            retire(token.cohort.row(token.slot), token.cohort, token.slot, isBad: true)
        case .ended(let token): tally.rejectedEnds.append(token)
        }
    }

    /// Delays the next try by twice the last wait, half of it random.
    private func retry(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: any Cohort, _ slot: Int, from first: Duration,
        to most: Duration = .seconds(10), notBefore: Duration = .zero
    ) {
        let bound = row.pointee.nextWait(from: first, to: most)
        delay(cohort, slot, by: max(bound * Double.random(in: 0.5...1), notBefore))
    }
}
