import APNsProtocol
import SightscreenModels
import Activities
import HTTP2
import Reactor

/// The connections of one loop to one APNs host: as many as its phones need, replaced with jitter when they are lost.
/// Updates and one-shots share them.
///
/// `@unchecked Sendable`: only its loop touches it, on the loop's thread.
final class APNsConnectionPool: HTTP2SenderOwner, @unchecked Sendable {
    struct Limits: Sendable {
        /// The number of connections; nil to compute it from the measured round trip.
        var connections: Int?
        var connectionsMax = 200
        var http = HTTP2ClientLimits()
    }

    /// How long an answer may take, in nanoseconds.
    static let timeout: Int64 = 10_000_000_000
    /// Pushes of one cohort in a row before another cohort has its turn.
    private static let turnMax = 64
    /// While alerts are sent, one turn in this many is for states: the alerts may take half a minute, and a phone that
    /// has just got its activity waits for its first state.
    private static let turnsWithOneForStates = 8
    /// While updates wait, one push in this many is a one-shot: a million ends come with the result that is sent at
    /// once.
    private static let pushesWithOneOneShot = 4
    /// Header templates kept for one-shots. The ends of a match share one, and so do its starts.
    private static let templatesMax = 64
    /// Nanoseconds between two new provider tokens on a connection; APNs refuses more.
    private static let tokenInterval: Int64 = 1_200_000_000_000
    private static let dialsMax = 8
    /// Rows that are looked at for one probe.
    private static let probeTriesMax = 64
    /// Seconds in which all phones are to be reached; the number of connections follows from it.
    private static let reachIn = 6.0
    /// The connection window that APNs is known to announce, in bytes.
    private static let windowBytes = 65_535.0

    let environment: APNsEnvironment
    let origin: HTTP2Origin
    let authority: String
    private let tls: TLSContext
    private let limits: Limits
    unowned let loop: FanOutLoop
    private var senders: [HTTP2Sender] = []
    /// The number of connections whose address is being looked up.
    private var dialling = 0
    /// The time, by `MonotonicTime`, before which no connection is made.
    private var notBefore: Int64 = 0
    private var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(30))
    private var hasWaited = false
    /// Connections in a row that could not be made, and why the last one could not; nil since one was opened.
    var unreachable: (tries: Int, reason: String)?
    /// APNs' word for which the host was stopped last.
    private(set) var stopReason = ""
    private var breaker = HostBreaker()
    private var budget = RetryBudget()
    /// Blocked repetitions that may be queued until the next tick.
    private var repetitionsLeft = 0
    private var topic = TopicDetector()
    private var errors = AccountErrors()
    private var tickedAt: Int64 = 0
    /// The last row that probed the host while it was stopped.
    private var lastProbe = ProbeRow.Place(cohort: 0, slot: 0)
    /// The work lists: cohorts in an alert sweep, and cohorts in a state sweep. The last one is at work.
    private var alerting: [any Cohort] = []
    private var stating: [any Cohort] = []
    private var turn = 0
    /// Pushes sent while both alerts and states were waiting.
    private var shared = 0
    private var isClosed = false
    /// Activities reached over this pool, and those with proven tokens among them, as of the last tick.
    var phones = 0
    var provenPhones = 0
    private var oneShots = OneShots()
    /// Pushes sent while both one-shots and updates were waiting.
    private var sharedWithOneShots = 0
    private var templates: [APNsHeaders: HTTP2HeaderTemplate] = [:]
    /// The serial of the provider token that `templates` show.
    private var templatesSerial = 0
    private var counts: [PushCount: Int] = [:]
    private var accepted = 0
    private var repetitions = 0
    var badTokens = BadTokenDetector<BadTokenCandidate>(now: MonotonicTime.now)

    init(_ environment: APNsEnvironment, origin: HTTP2Origin, tls: TLSContext, limits: Limits, loop: FanOutLoop) {
        self.environment = environment
        self.origin = origin
        self.tls = tls
        self.limits = limits
        self.loop = loop
        authority = origin.authority
    }

    // MARK: - Work

    func list(_ cohort: any Cohort, for sweep: CohortRows.Sweep) {
        unlist(cohort)
        cohort.work = .listed(sweep)
        if sweep == .alert { alerting.append(cohort) } else { stating.append(cohort) }
    }

    /// Takes a cohort off the work lists.
    func unlist(_ cohort: any Cohort) {
        defer { cohort.work = .none }
        guard cohort.work.isListed else { return }
        // The cohort at work is the last one of its list.
        if alerting.last === cohort {
            alerting.removeLast()
        } else if stating.last === cohort {
            stating.removeLast()
        } else {
            alerting.removeAll { $0 === cohort }
            stating.removeAll { $0 === cohort }
        }
    }

    var hasWork: Bool { hasUpdates || !oneShots.isEmpty || breaker.isStopped }

    private var hasUpdates: Bool { !alerting.isEmpty || !stating.isEmpty }

    func wake() {
        guard hasWork, !isClosed, breaker.allowsPush(MonotonicTime.now) else { return }
        dial()
        for sender in senders { sender.wake() }
    }

    func fill(_ sender: HTTP2Sender) -> Bool {
        guard breaker.allowsPush(sender.now) else { return false }
        if breaker.isStopped { return probe(sender) }
        if !oneShots.isEmpty {
            if hasUpdates { sharedWithOneShots += 1 }
            let isItsTurn = !hasUpdates || sharedWithOneShots % Self.pushesWithOneOneShot == 0
            if isItsTurn, let sent = nextOneShot(sender) { return sent }
        }
        return update(sender) ?? nextOneShot(sender) ?? false
    }

    /// Sends the push that asks whether a stopped host accepts pushes again. A push to a proven token, or to a channel,
    /// is preferred: the answer about any other token may be about the token alone.
    private func probe(_ sender: HTTP2Sender) -> Bool {
        // Looking for a row is work, and of many connections one has room at first.
        guard loop.authorization != nil, sender.hasRoom(forBody: PushPayload.routineBytesAim) else { return false }
        var row = loop.probeRow(self, after: lastProbe)
        // Some have nothing to send after all: their next version comes later.
        for _ in 0..<Self.probeTriesMax {
            guard let proven = row, proven.isProven else { break }
            if let sent = probe(proven, sender) { return sent }
            row = loop.probeRow(self, after: lastProbe)
        }
        if oneShots.bringProvenForward(), let sent = nextOneShot(sender) { return sent }
        if let row, !row.isProven, let sent = probe(row, sender) { return sent }
        if let sent = nextOneShot(sender) { return sent }
        breaker.postpone(sender.now)
        return false
    }

    private func probe(_ row: ProbeRow, _ sender: HTTP2Sender) -> Bool? {
        let sent = loop.probe(row, over: sender, self)
        // A row that found no room is the next one once more.
        if sent != false { lastProbe = row.place }
        return sent
    }

    /// Sends the next update.
    /// - Returns: whether there was room; nil when there is none to send.
    private func update(_ sender: HTTP2Sender) -> Bool? {
        let isShared = !alerting.isEmpty && !stating.isEmpty
        let place = shared / Self.turnMax % Self.turnsWithOneForStates
        let isStatesTurn = isShared && place == Self.turnsWithOneForStates - 1
        let sent: Bool? = isStatesTurn ? state(sender) ?? alert(sender) : alert(sender) ?? state(sender)
        if isShared, sent == true { shared += 1 }
        return sent
    }

    /// Sends the next push to a phone that is to be alerted.
    /// - Returns: whether there was room; nil when there is none to send.
    private func alert(_ sender: HTTP2Sender) -> Bool? {
        while let cohort = alerting.last {
            switch loop.next(cohort, over: sender, self) {
            case .sent:
                rotate(&alerting)
                return true
            case .noRoom: return false
            case .paused: pause(cohort, .alert)
            case .done where loop.isFinishing: stop(cohort)
            case .done:
                cohort.cursor = 0
                list(cohort, for: .state)
                loop.claimNext(cohort.match)
            }
        }
        return nil
    }

    /// Sends the next push to any other phone.
    /// - Returns: whether there was room; nil when there is none to send.
    private func state(_ sender: HTTP2Sender) -> Bool? {
        guard !loop.isFinishing else { return nil }
        while let cohort = stating.last {
            switch loop.next(cohort, over: sender, self) {
            case .sent:
                rotate(&stating)
                return true
            case .noRoom: return false
            case .paused: pause(cohort, .state)
            case .done: stop(cohort)
            }
        }
        return nil
    }

    private func stop(_ cohort: any Cohort) {
        unlist(cohort)
        loop.forget(cohort)
    }

    private func pause(_ cohort: any Cohort, _ sweep: CohortRows.Sweep) {
        stop(cohort)
        if cohort.stage != .lost { cohort.work = .paused(sweep) }
    }

    /// Gives each cohort its turn: a match with a million phones does not keep the others waiting.
    private func rotate(_ cohorts: inout [any Cohort]) {
        turn += 1
        guard turn >= Self.turnMax, cohorts.count > 1, let last = cohorts.popLast() else { return }
        turn = 0
        cohorts.insert(last, at: 0)
    }

    // MARK: - One-shots

    /// Sends a push as soon as there is room.
    /// - Parameter finish: called once with the outcome.
    func send(_ push: OneShot, finish: @escaping @Sendable (PushResult) -> Void) {
        let now = MonotonicTime.now
        let entry = OneShots.Entry(push: push, deadline: now + Self.timeout, finish: finish)
        guard !isClosed else { return end(entry, .refused) }
        guard breaker.allowsPush(now) || breaker.cause == .providerToken else { return end(entry, .stopped) }
        oneShots.add(entry)
        // While the host is stopped, the next tick chooses one of those that have come.
        if !breaker.isStopped { wake() }
    }

    /// Finishes a one-shot that did not leave.
    private func end(_ entry: OneShots.Entry, _ result: PushResult) {
        count(entry.push.kind, result.outcome)
        if case .onHold = result { loop.tally.held += 1 }
        entry.finish(result)
    }

    private func finishWaiting(_ result: PushResult) { while let entry = oneShots.drop() { end(entry, result) } }

    private func nextOneShot(_ sender: HTTP2Sender) -> Bool? {
        while let entry = oneShots.next {
            let push = entry.push
            guard push.gate.isOpen(unlessHeld: push.level) else {
                _ = oneShots.drop()
                end(entry, push.gate.isHeld(push.level) ? .onHold : .withdrawn)
                continue
            }
            guard let authorization = loop.authorization, sender.hasRoom(forBody: push.body.count),
                mayShow(authorization.serial, on: sender)
            else { return false }
            var path = push.path
            let tag = oneShots.nextTag
            let isSubmitted = path.withUTF8 {
                sender.submit(
                    path: $0, headers: template(push.headers, authorization), body: push.body, tag: tag,
                    deadline: sender.now + Self.timeout)
            }
            guard isSubmitted else {
                drain(sender)
                return false
            }
            oneShots.sent(serial: authorization.serial)
            breaker.sent(tag)
            return true
        }
        return nil
    }

    private func template(_ headers: APNsHeaders, _ authorization: ProviderAuthorization) -> HTTP2HeaderTemplate {
        if templatesSerial != authorization.serial || templates.count >= Self.templatesMax {
            templates.removeAll()
            templatesSerial = authorization.serial
        }
        if let known = templates[headers] { return known }
        let template = authorization.template(authority, headers)
        templates[headers] = template
        return template
    }

    private func finished(_ tag: Int, _ entry: OneShots.Entry, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
        let kind = entry.push.kind
        switch outcome {
        case .response(let response) where response.status == 200:
            sender.notes.isProven = true
            accepted(tag, kind: kind, of: entry.push.target?.account)
            entry.finish(.answered(APNsAnswer(status: response.status, body: response.body)))
        case .response(let response):
            var answer = APNsAnswer(status: response.status, body: response.body)
            answer.retryAfter = response.retryAfter
            let outcome = UpdateOutcome(answer)
            let finding = refused(
                tag, answer, outcome, kind: kind, serial: entry.serial, target: entry.push.target, on: sender)
            if let ended = entry.push.ended { judge(ended, outcome, finding) }
            let isAboutSender =
                outcome.host == .newToken || outcome.host == .olderToken || answer.action == .connectForKey
            if isAboutSender, repeated(entry) { return }
            entry.finish(.answered(answer))
        case .refused:
            notProcessed(tag, kind: kind, isFree: sender.isGoingAway)
            if repeated(entry) { return }
            entry.finish(.refused)
        case .unknown(let reason):
            unanswered(tag, reason, kind: kind)
            entry.finish(.unknown)
        }
    }

    /// Queues a one-shot once more, for another connection or with another provider token.
    /// - Returns: false when it was repeated before, or the pool is closed.
    private func repeated(_ entry: OneShots.Entry) -> Bool {
        guard entry.mayRepeat, !isClosed else { return false }
        var entry = entry
        entry.mayRepeat = false
        oneShots.add(entry)
        wake()
        return true
    }

    // MARK: - What may be sent

    /// Whether a repetition may be sent now. A probe of a stopped host always may.
    var hasRoomForRepetition: Bool { budget.room > 0 || breaker.isStopped }

    /// Returns how many of the `wanted` repetitions that wait for room may be queued again.
    func takeRepetitions(_ wanted: Int) -> Int {
        let taken = min(wanted, repetitionsLeft)
        repetitionsLeft -= taken
        return taken
    }

    func sent(_ tag: Int, isRepetition: Bool) {
        budget.sent(isRepetition: isRepetition)
        breaker.sent(tag)
        if isRepetition { repetitions += 1 }
    }

    /// Whether a connection may show a provider token. A connection shows no two new tokens within 20 minutes; it is
    /// drained instead.
    func mayShow(_ serial: Int, on sender: HTTP2Sender) -> Bool {
        if sender.notes.shown == serial { return true }
        if sender.notes.shown != 0, sender.now - sender.notes.shownAt < Self.tokenInterval {
            drain(sender)
            return false
        }
        sender.notes.shown = serial
        sender.notes.shownAt = sender.now
        return true
    }

    /// Resumes the host if it was stopped for its provider token, because there is another token now.
    func tokenChanged() {
        guard breaker.cause == .providerToken else { return }
        resume()
    }

    private func resume() {
        breaker.resume()
        hasResumed()
    }

    private func hasResumed() {
        budget.recover()
        wake()
    }

    /// Why only an occasional probe is sent; nil when the host is not stopped.
    var stopCause: HostBreaker.Cause? { breaker.cause }

    /// - Parameter now: by `MonotonicTime`.
    func tick(_ now: Int64) {
        tickedAt = now
        budget.tick(now, phones: phones)
        repetitionsLeft =
            breaker.isStopped ? (breaker.allowsPush(now) ? 1 : 0) : budget.room
        sweep()
        while let late = oneShots.late(now) { end(late, .refused) }
        // A stop for the provider token ends in a moment, so one-shots wait; any other stop finishes them, unless one of
        // them may be the probe.
        if let cause = breaker.cause, cause != .providerToken, !breaker.allowsPush(now) { finishWaiting(.stopped) }
        // Connections are opened before there is work, so that the first wicket finds them open.
        if phones > 0, !isClosed, !loop.isFinishing, breaker.allowsPush(now) { dial() }
    }

    // MARK: - Answers

    /// - Parameter account: a hash of the user who has the token; nil for a channel.
    func accepted(_ tag: Int, kind: PushKind, of account: UInt64?) {
        if kind == .update { accepted += 1 } else { count(kind, .accepted) }
        topic.accepted(kind.topic, of: account, now: tickedAt)
        errors.forget()
        budget.answered(mustBeRepeated: false)
        if breaker.noteSuccess(tag, isAccepted: true, now: tickedAt) { hasResumed() }
        if hasWaited {
            hasWaited = false
            backoff.reset()
        }
    }

    /// - Parameter isFree: the push was not looked at because its connection closed, so it says nothing about the host.
    func notProcessed(_ tag: Int, kind: PushKind = .update, isFree: Bool) {
        count(kind, .refused)
        if !isFree { budget.answered(mustBeRepeated: true) }
        breaker.lost(tag, now: MonotonicTime.now)
    }

    func unanswered(_ tag: Int, _ reason: HTTP2Outcome.Reason, kind: PushKind = .update) {
        count(kind, .unknown)
        // A lost connection counts as one answer (in `closed`), however many pushes were in flight on it.
        if case .connectionLost = reason {} else { budget.answered(mustBeRepeated: true) }
        breaker.lost(tag, now: MonotonicTime.now)
    }

    /// Applies what a refusal means for the connection and the host.
    /// - Parameters:
    ///   - serial: the serial of the provider token that the push showed.
    ///   - target: the token that the push went to; nil for a channel.
    /// - Returns: what is found out of a token that is not for our topic.
    @discardableResult
    func refused(
        _ tag: Int, _ answer: APNsAnswer, _ outcome: UpdateOutcome, kind: PushKind = .update, serial: Int,
        target: PushTarget?, on sender: HTTP2Sender
    ) -> TopicDetector.Finding {
        let before = breaker.cause
        defer { if breaker.isStopped, breaker.cause != before { stopReason = answer.name } }
        if outcome.phone == .retireUnlessMany, let target { topic.noteRefusal(of: target) }
        reportRefusal(answer, outcome)
        count(kind, PushResult.outcome(answer, outcome, isUnproven: target?.isProven == false))
        if outcome.endsConnection { drain(sender) }
        let now = MonotonicTime.now
        if outcome.host == .stopIfProven, let target {
            let finding = topic.refused(target, kind.topic, now: now)
            if finding == .wrongTopic {
                stop(for: .topic, tag, now)
            } else if breaker.noteSuccess(tag, isAccepted: false, now: now) {
                hasResumed()
            }
            return finding
        }
        var counts = true
        if case .retry = outcome.phone {
            // The answer to a probe always counts.
            counts = errors.note(target) || breaker.isStopped
            if counts { budget.answered(mustBeRepeated: true) }
        }
        switch outcome.host {
        case .healthy:
            if breaker.noteSuccess(tag, isAccepted: false, now: now) { hasResumed() }
        case .error where !counts, .throttled where !counts: break
        case .error, .throttled:
            // A 429's `retry-after` is about one phone and says nothing about the others.
            let wait = outcome.host == .error ? answer.retryAfter : nil
            breaker.noteError(tag, retryAfter: wait, now: now)
        case .newToken, .olderToken:
            // The push was sent before the token was replaced; another one is shown already.
            if serial != loop.authorization?.serial {
                breaker.lost(tag, now: now)
            } else if breaker.stop(for: .providerToken, tag, now: now) {
                let isExpired = outcome.host == .newToken
                loop.report(isExpired ? .expiredToken(serial: serial) : .tooManyTokens(serial: serial))
            }
        case .stop, .stopIfProven: stop(for: .refusal, tag, now)
        }
        return .nothing
    }

    /// Stops the host, which refuses all our pushes.
    private func stop(for cause: HostBreaker.Cause, _ tag: Int, _ now: Int64) {
        if breaker.stop(for: cause, tag, now: now) { renewConnections() }
    }

    /// The accounts, up to three, whose tokens the host refused before it accepted any.
    var untestedAccounts: Set<UInt64> { topic.untestedAccounts }
    var hasAccepted: Bool { topic.hasAccepted }

    private func count(_ kind: PushKind, _ outcome: PushOutcome) {
        counts[PushCount(kind: kind, outcome: outcome), default: 0] += 1
    }

    /// Returns the pushes since the last call by kind and outcome, and how many updates among them were repetitions.
    func takeCounts() -> (pushes: [PushCount: Int], repetitions: Int) {
        var pushes = counts
        if accepted > 0 { pushes[PushCount(kind: .update, outcome: .accepted)] = accepted }
        defer { (accepted, repetitions, counts) = (0, 0, [:]) }
        return (pushes, repetitions)
    }

    // MARK: - Connections

    func sweep() { for sender in senders { sender.sweep() } }

    /// Drains all connections: each closes when its pushes in flight are answered, and new pushes go over new ones.
    func renewConnections() { for sender in senders { drain(sender) } }

    /// Drains a connection: it closes when its pushes in flight are answered.
    func drain(_ sender: HTTP2Sender) { if sender.drain() { replace(sender) } }

    /// Replaces a connection at once, or after a wait if it never carried an accepted push.
    private func replace(_ sender: HTTP2Sender) {
        if !sender.notes.isProven { backOff() }
        dial()
    }

    func close() {
        isClosed = true
        for sender in senders { sender.close() }
        finishWaiting(.refused)
    }

    var connectionCount: Int { senders.count }
    /// The number of connections that are open or draining.
    var openConnections: Int { senders.count { $0.isOpen || $0.isEnding } }
    var inFlight: Int { senders.reduce(0) { $0 + $1.inFlight } }

    /// The number of connections to have: each carries its window, or its streams, once per round trip.
    private var wanted: Int {
        if let fixed = limits.connections { return fixed }
        guard let sample = senders.first(where: { $0.isOpen && $0.roundTrip > 0 }) else { return 1 }
        let seconds = Double(sample.roundTrip) / 1e9
        let streams = min(Self.windowBytes / 1_000, Double(min(sample.peerStreamsMax, limits.http.streamsMax)))
        let needed = Double(phones) / Self.reachIn
        return min(max(2, Int((needed * seconds / max(streams, 1)).rounded(.up))), limits.connectionsMax)
    }

    private func dial() {
        guard MonotonicTime.now >= notBefore else { return }
        // `wanted` is one until a round trip is measured; and only a few handshakes run at a time.
        let open = senders.count { !$0.isEnding }
        let missing = min(wanted - open - dialling, Self.dialsMax - dialling)
        guard missing > 0 else { return }
        for _ in 0..<missing { connect() }
    }

    private func connect() {
        dialling += 1
        Task { [self, loop, origin] in
            // Apple asks for a fresh query before each connection.
            let addresses = (try? await origin.addresses()) ?? []
            await loop.onThread { self.connect(to: addresses.randomElement()) }
        }
    }

    private func connect(to address: HTTP2Address?) {
        dialling -= 1
        guard !isClosed else { return }
        if address == nil { noteUnreachable("its name has no address") }
        guard let address else { return backOff() }
        senders.append(
            HTTP2Sender(to: address, of: origin, tls: tls, reactor: loop.reactor, limits: limits.http, owner: self))
    }

    /// Delays the next connection, once for all connections that are lost together.
    private func backOff() {
        guard MonotonicTime.now >= notBefore else { return }
        hasWaited = true
        notBefore = MonotonicTime.now + MonotonicTime.nanoseconds(backoff.next())
    }

    func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
        if let entry = oneShots.remove(tag) {
            finished(tag, entry, outcome, on: sender)
        } else {
            loop.finished(tag, outcome, on: sender, self)
        }
    }

    func opened(_ sender: HTTP2Sender) {
        sender.notes.isOpened = true
        unreachable = nil
        wake()
    }

    func isGoingAway(_ sender: HTTP2Sender, _ reason: String) { replace(sender) }

    func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool) {
        budget.answered(mustBeRepeated: true)
        senders.removeAll { $0 === sender }
        if !sender.notes.isOpened { noteUnreachable(reason.message) }
        // A connection that was draining has been replaced. After any other the next one waits a little, and longer
        // each time while no connection carries a push.
        if !wasDraining || !sender.notes.isProven { backOff() }
        if !isClosed { loop.report(.closed(environment, host: authority, reason: reason.message)) }
    }
}
