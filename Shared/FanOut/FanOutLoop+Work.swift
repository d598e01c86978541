import Reactor
import APNsProtocol
import Activities
import HTTP2
import SightscreenModels

extension FanOutLoop {
    /// No phone waits longer because APNs asked for it, in seconds.
    private static let retryAfterMax = 900

    enum Turn {
        case sent
        /// The connection takes no more now.
        case noRoom
        /// The cohort has nothing left for this sweep.
        case done
        /// Something keeps the cohort from going on.
        case heldUp
    }

    /// Sends the next push of a cohort over a connection.
    func next(_ cohort: TokenCohort, over sender: HTTP2Sender, _ lines: APNsLines) -> Turn {
        let match = cohort.match
        let asked = match.bytesMax
        guard let authorization, sender.hasRoom(forBody: asked),
            lines.mayShow(authorization.serial, on: sender)
        else { return .noRoom }
        // Asked for each push: this thread may have stood still since the last one.
        guard cohort.stage != .lost, !match.brake.stops(.pushes), cohort.trust.isHeld else { return .heldUp }
        let now = clock.seconds
        while let (slot, wasQueued) = nextSlot(cohort) {
            let row = cohort.row(slot)
            let riders = match.riders(for: row, cohort, now: now)
            // In this sweep only those who are alerted.
            if riders.isEmpty, cohort.stage == .closing || isFinishing || cohort.work.sweep == .alert && !wasQueued {
                continue
            }
            let isInfrequent = row.pointee.flags.contains(.isInfrequent)
            let left = riders.isEmpty ? ImmediateBudget.forAlerts : 0
            let mayBeImmediate =
                !isInfrequent || immediates.hasRoom(cohort.infrequent[Int32(slot)], leaving: left, now: now)
            switch match.need(row, riders, mayBeImmediate: mayBeImmediate, now: now) {
            case .nothing:
                if match.repeatsQuietly { cohort.needsSettling = true }
                continue
            case .stamp:
                // It alone waits: the others may have what they need.
                row.pointee.flags.insert(.isQueued)
                cohort.awaitingStamp.append(Int32(slot))
                if !match.isTakingStamp {
                    match.isTakingStamp = true
                    report(.stamp(match.id))
                }
            case .push(let variant):
                let hadThis = row.pointee.tried >= match.stamp
                let isRepetition = hadThis && !row.pointee.flags.contains(.repeatsFreely)
                if isRepetition, !lines.hasRoomForRepetition {
                    cohort.park(slot)
                    continue
                }
                // The first of its version may be longer than any before.
                guard variant.body.count <= asked || sender.hasRoom(forBody: variant.body.count) else {
                    cohort.queue(slot)
                    return .noRoom
                }
                let template = variant.template(lines.authority, authorization)
                let tag = cohort.number << 32 | slot
                let isSubmitted = cohort.withPath(slot, path) {
                    sender.submit(
                        path: $0, headers: template, body: variant.body, tag: tag,
                        deadline: sender.now + APNsLines.timeout)
                }
                guard isSubmitted else {
                    cohort.queue(slot)
                    lines.drain(sender)
                    return .noRoom
                }
                lines.sent(tag, isRepetition: isRepetition)
                if isInfrequent, variant.priority == .immediate {
                    immediates.take(cohort.infrequent[Int32(slot)], now: now)
                }
                row.pointee.sent(
                    stamp: variant.stamp, alert: variant.alert, serial: authorization.serial, isFirst: !hadThis)
                cohort.inFlight += 1
                match.progress.sent += 1
                return .sent
            }
        }
        return .done
    }

    /// The next row that nothing is under way to: those that were asked for first, then the others in turn.
    private func nextSlot(_ cohort: TokenCohort) -> (slot: Int, wasQueued: Bool)? {
        while let queued = cohort.again.popLast() {
            let slot = Int(queued)
            let row = cohort.row(slot)
            row.pointee.flags.remove(.isQueued)
            if row.pointee.flags.contains(.isLeaving) {
                if row.pointee.underWay == 0 { cohort.release(slot) }
                continue
            }
            guard row.pointee.underWay == 0, row.pointee.flags.contains(.isUsed) else { continue }
            return (slot, true)
        }
        let newest = cohort.match.stamp
        while cohort.cursor < cohort.slots {
            let slot = cohort.cursor
            cohort.cursor += 1
            let row = cohort.row(slot)
            guard row.pointee.delivered < newest, row.pointee.underWay == 0,
                row.pointee.flags.isDisjoint(with: [.isQueued, .isLeaving]), row.pointee.flags.contains(.isUsed)
            else { continue }
            return (slot, false)
        }
        return nil
    }

    // MARK: - Answers

    func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender, _ lines: APNsLines) {
        guard let cohort = cohorts[tag >> 32] else { return }
        let slot = tag & 0xffff_ffff
        let row = cohort.row(slot)
        let (stamp, key) = (row.pointee.underWay, row.pointee.key)
        row.pointee.underWay = 0
        cohort.inFlight -= 1
        cohort.needsSettling = true
        let wasLeaving = row.pointee.flags.contains(.isLeaving)
        let isGone = wasLeaving || cohort.stage == .lost
        switch outcome {
        case .response(let response) where response.status == 200:
            lines.badTokens.noteGood(isProven: row.pointee.isProven)
            sender.notes.isProven = true
            lines.accepted(tag)
            cohort.prove(slot)
            accepted(row, cohort, slot, stamp)
        case .response(let response): refused(row, cohort, tag, stamp, response, lines, sender)
        case .refused:
            row.pointee.refused()
            // One that its connection takes along is not APNs' trouble.
            let isFree = sender.isGoingAway
            lines.notProcessed(tag, isFree: isFree)
            if isFree { row.pointee.flags.insert(.repeatsFreely) }
            failed(.notProcessed, row, cohort, stamp)
            if !isGone { again(row, cohort, slot, from: .milliseconds(20)) }
        case .unknown(let reason):
            if row.pointee.toldAlert { tally.lostAlerts += 1 }
            row.pointee.unanswered()
            lines.unanswered(tag, reason)
            failed(.unanswered, row, cohort, stamp)
            // A connection that is lost has a successor in a moment; a host that does not answer is given time.
            let wait: Duration = if case .connectionLost = reason { .milliseconds(100) } else { .milliseconds(500) }
            if !isGone { again(row, cohort, slot, from: wait) }
        }
        if row.pointee.flags.contains(.isLeaving), !row.pointee.flags.contains(.isQueued) { cohort.release(slot) }
        // Not the answer of another token that the same activity has got since.
        if wasLeaving, cohort.noteLastAnswer(key) { report(.left(cohort.match.id, key)) }
        forget(cohort)
    }

    private func accepted(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ slot: Int, _ stamp: UInt32
    ) {
        let isNew = row.pointee.flags.contains(.isNew)
        row.pointee.accepted(stamp: stamp)
        let match = cohort.match
        guard stamp >= match.stamp else {
            match.progress.superseded += 1
            guard !row.pointee.flags.contains(.isLeaving), cohort.stage != .lost else { return }
            cohort.queue(slot)
            return list(cohort)
        }
        let now = MonotonicTime.now
        match.progress.accepted += 1
        if let failure = row.pointee.failure {
            match.progress.failed[failure, default: 1] -= 1
            row.pointee.failure = nil
        }
        if row.pointee.toldAlert { match.progress.alerted += 1 }
        // One that came later says nothing of how long the version took.
        guard !isNew else { return }
        if match.progress.firstAcceptedAt == 0 { match.progress.firstAcceptedAt = now }
        match.progress.lastAcceptedAt = now
    }

    /// A phone counts once, by what was last said, and no more when it is taken after all.
    private func failed(
        _ failure: PushFailure, _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ stamp: UInt32
    ) {
        tally.failures[failure, default: 0] += 1
        let match = cohort.match
        guard stamp >= match.stamp else { return }
        if let before = row.pointee.failure { match.progress.failed[before, default: 1] -= 1 }
        row.pointee.failure = failure
        match.progress.failed[failure, default: 0] += 1
    }

    private func refused(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ tag: Int, _ stamp: UInt32,
        _ response: HTTP2Response, _ lines: APNsLines, _ sender: HTTP2Sender
    ) {
        row.pointee.refused()
        var answer = APNsAnswer(status: response.status, body: response.body)
        answer.retryAfter = response.retryAfter
        let verdict = UpdateVerdict(answer)
        failed(PushFailure(answer), row, cohort, stamp)
        lines.refused(tag, answer, verdict, serial: serial(of: row), on: sender)
        guard !row.pointee.flags.contains(.isLeaving), cohort.stage != .lost else { return }
        let slot = tag & 0xffff_ffff
        switch verdict.phone {
        case .retire(let sinceMs) where isAbout(row, sinceMs): retire(row, cohort, slot, isBad: false)
        // Of an earlier life of the token.
        case .retire: again(row, cohort, slot, from: .seconds(1), to: .seconds(60))
        case .retireUnlessMany: suspect(row, cohort, slot, lines)
        case .leaveOut, .shows:
            // This version cannot be sent as it is; the next one may.
            row.pointee.delivered = max(row.pointee.delivered, stamp)
            if stamp < cohort.match.stamp {
                cohort.queue(slot)
                list(cohort)
            }
        case .asSoonAsPossible:
            row.pointee.flags.insert(.repeatsFreely)
            cohort.queue(slot)
            list(cohort)
        case .again(let first, let most):
            // What a host in trouble asks for is its breaker's: the phone may be due another version by then.
            let asked = verdict.host == .error ? 0 : min(answer.retryAfter ?? 0, Self.retryAfterMax)
            again(
                row, cohort, slot, from: .milliseconds(first), to: .milliseconds(most), notBefore: .seconds(asked))
        }
    }

    /// Of the provider token that the last push to it showed: the one of now, or the one before.
    private func serial(of row: UnsafeMutablePointer<CohortRow>) -> Int {
        let serial = authorization?.serial ?? 0
        return row.pointee.flags.contains(.showsOddToken) == serial.isMultiple(of: 2) ? serial - 1 : serial
    }

    /// Whether a word of that time, if it has one, is about the token as it is registered.
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

    /// APNs called its token bad: it is retired when that is believed, and waits until then.
    private func suspect(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ slot: Int, _ lines: APNsLines
    ) {
        lines.badTokens.noteBad(
            SuspectToken(cohort: cohort, slot: slot, key: row.pointee.key, tokenAt: row.pointee.tokenAt),
            of: row.pointee.key.account, isProven: row.pointee.isProven)
        wait(cohort, slot)
    }

    /// Leaves a phone alone whose token APNs called bad: ever longer where it never took one.
    func wait(_ cohort: TokenCohort, _ slot: Int) {
        let row = cohort.row(slot)
        let longest = row.pointee.isProven ? .seconds(60) : BadTokenJury<SuspectToken>.unprovenWait
        again(row, cohort, slot, from: .seconds(60), to: longest)
    }

    /// Not when another token was registered meanwhile.
    func stands(_ suspect: SuspectToken) -> Bool {
        let cohort = suspect.cohort
        return cohort.stage != .lost && cohort.slot(suspect.key) == suspect.slot
            && cohort.row(suspect.slot).pointee.tokenAt == suspect.tokenAt
    }

    func convict(_ suspect: SuspectToken) {
        retire(suspect.cohort.row(suspect.slot), suspect.cohort, suspect.slot, isBad: true)
    }

    /// The wait before the next try: twice the last one, a half of it random.
    private func again(
        _ row: UnsafeMutablePointer<CohortRow>, _ cohort: TokenCohort, _ slot: Int, from first: Duration,
        to most: Duration = .seconds(10), notBefore: Duration = .zero
    ) {
        let bound = row.pointee.nextWait(from: first, to: most)
        delay(cohort, slot, by: max(bound * Double.random(in: 0.5...1), notBefore))
    }
}
