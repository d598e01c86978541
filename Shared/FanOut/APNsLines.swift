import APNsProtocol
import SightscreenModels
import Activities
import HTTP2
import Reactor

/// The connections of one loop to one APNs host: as many as its phones need, made anew with jitter when they are lost. Updates and
/// one-shots go over the same ones.
///
/// Touched by its loop alone.
final class APNsLines: HTTP2SenderOwner, @unchecked Sendable {
    struct Limits: Sendable {
        /// Nil: by what is measured.
        var connections: Int?
        var connectionsMax = 200
        var http = HTTP2ClientLimits()
    }

    /// Of an answer, in nanoseconds.
    static let timeout: Int64 = 10_000_000_000
    /// Pushes of one cohort in a row, before another one has its turn.
    private static let turnMax = 64
    /// Of so many turns one is for states, while alerts are told: theirs may take half a minute, and a phone that has just
    /// got its activity waits for its first state.
    private static let turnsWithOneForStates = 8
    /// Of so many pushes one is a one-shot, while updates wait: a million ends come with the result that is told at once.
    private static let pushesWithOneOneShot = 4
    /// Header blocks kept for one-shots: the ends of a match have one in common, and its starts.
    private static let templatesMax = 64
    /// A host that has taken a push so lately does not refuse all of us, in nanoseconds.
    private static let acceptedLately: Int64 = 60_000_000_000
    /// Between two new provider tokens on a connection, in nanoseconds: APNs refuses more.
    private static let tokenInterval: Int64 = 1_200_000_000_000
    private static let dialsMax = 8
    /// In which all phones are to be reached, in seconds: what the number of connections is for.
    private static let reachIn = 6.0
    /// What APNs is known to announce: bytes under way on a connection.
    private static let windowBytes = 65_535.0

    let environment: APNsEnvironment
    let origin: HTTP2Origin
    let authority: String
    private let tls: TLSContext
    private let limits: Limits
    private unowned let loop: FanOutLoop
    private var senders: [HTTP2Sender] = []
    /// Connections whose address is being looked up.
    private var dialling = 0
    /// No connection is made before, by `MonotonicTime`.
    private var notBefore: Int64 = 0
    private var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(30))
    private var hasWaited = false
    private var breaker = HostBreaker()
    private var budget = RetryBudget()
    /// That may be looked at until the next tick.
    private var repetitionsLeft = 0
    private var acceptedAt: Int64 = 0
    private var tickedAt: Int64 = 0
    /// Cohorts with phones to alert, and those whose phones only get the state.
    private var alerting: [TokenCohort] = []
    private var stating: [TokenCohort] = []
    private var turn = 0
    /// Pushes while both alerts and states were waiting.
    private var shared = 0
    private var isClosed = false
    /// That are reached over them, as of the last tick.
    var phones = 0
    var provenPhones = 0
    private var oneShots = OneShots()
    /// Pushes while both one-shots and updates were waiting.
    private var sharedWithOneShots = 0
    private var templates: [APNsHeaders: HTTP2HeaderTemplate] = [:]
    /// The provider token that these show.
    private var templatesSerial = 0
    private var counts: [PushCount: Int] = [:]
    private var accepted = 0
    private var repetitions = 0
    var badTokens = BadTokenJury<SuspectToken>(now: MonotonicTime.now)

    init(_ environment: APNsEnvironment, origin: HTTP2Origin, tls: TLSContext, limits: Limits, loop: FanOutLoop) {
        self.environment = environment
        self.origin = origin
        self.tls = tls
        self.limits = limits
        self.loop = loop
        authority = origin.authority
    }

    // MARK: - Work

    func list(_ cohort: TokenCohort, for sweep: TokenCohort.Sweep) {
        unlist(cohort)
        cohort.work = .listed(sweep)
        if sweep == .alert { alerting.append(cohort) } else { stating.append(cohort) }
    }

    /// From now on it has no work.
    func unlist(_ cohort: TokenCohort) {
        defer { cohort.work = .none }
        guard cohort.work.isListed else { return }
        // The one at work is the last.
        if alerting.last === cohort {
            alerting.removeLast()
        } else if stating.last === cohort {
            stating.removeLast()
        } else {
            alerting.removeAll { $0 === cohort }
            stating.removeAll { $0 === cohort }
        }
    }

    var hasWork: Bool { hasUpdates || !oneShots.isEmpty }

    private var hasUpdates: Bool { !alerting.isEmpty || !stating.isEmpty }

    func wake() {
        guard hasWork, !isClosed, breaker.letsThrough(MonotonicTime.now) else { return }
        dial()
        for sender in senders { sender.wake() }
    }

    func fill(_ sender: HTTP2Sender) -> Bool {
        guard breaker.letsThrough(sender.now) else { return false }
        if !oneShots.isEmpty {
            if hasUpdates { sharedWithOneShots += 1 }
            let isItsTurn = !hasUpdates || sharedWithOneShots % Self.pushesWithOneOneShot == 0
            if isItsTurn, let sent = nextOneShot(sender) { return sent }
        }
        return update(sender) ?? nextOneShot(sender) ?? false
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
            case .heldUp: holdUp(cohort, .alert)
            case .done where loop.isFinishing: stop(cohort)
            case .done:
                cohort.cursor = 0
                list(cohort, for: .state)
                loop.claimNext(cohort.match)
            }
        }
        return nil
    }

    /// The same to any other phone.
    private func state(_ sender: HTTP2Sender) -> Bool? {
        guard !loop.isFinishing else { return nil }
        while let cohort = stating.last {
            switch loop.next(cohort, over: sender, self) {
            case .sent:
                rotate(&stating)
                return true
            case .noRoom: return false
            case .heldUp: holdUp(cohort, .state)
            case .done: stop(cohort)
            }
        }
        return nil
    }

    private func stop(_ cohort: TokenCohort) {
        unlist(cohort)
        loop.forget(cohort)
    }

    private func holdUp(_ cohort: TokenCohort, _ sweep: TokenCohort.Sweep) {
        stop(cohort)
        if cohort.stage != .lost { cohort.work = .heldUp(sweep) }
    }

    /// Everybody has a turn: a match with a million phones does not keep the others waiting.
    private func rotate(_ cohorts: inout [TokenCohort]) {
        turn += 1
        guard turn >= Self.turnMax, cohorts.count > 1, let last = cohorts.popLast() else { return }
        turn = 0
        cohorts.insert(last, at: 0)
    }

    // MARK: - One-shots

    /// Sends a push as soon as there is room.
    /// - Parameter finish: is told once what became of it.
    func send(_ push: OneShot, finish: @escaping @Sendable (PushResult) -> Void) {
        let now = MonotonicTime.now
        let entry = OneShots.Entry(push: push, deadline: now + Self.timeout, finish: finish)
        guard !isClosed else { return end(entry, .refused) }
        guard breaker.letsThrough(now) || breaker.cause == .providerToken else { return end(entry, .held) }
        oneShots.add(entry)
        wake()
    }

    /// One that did not leave.
    private func end(_ entry: OneShots.Entry, _ result: PushResult) {
        count(entry.push.kind, result.outcome)
        if case .braked = result { loop.tally.held += 1 }
        entry.finish(result)
    }

    private func finishWaiting(_ result: PushResult) { while let entry = oneShots.drop() { end(entry, result) } }

    private func nextOneShot(_ sender: HTTP2Sender) -> Bool? {
        while let entry = oneShots.next {
            let push = entry.push
            guard push.gate.isOpen(unlessHeld: push.level) else {
                _ = oneShots.drop()
                end(entry, push.gate.isHeld(push.level) ? .braked : .withdrawn)
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
            accepted(tag, kind: kind)
            entry.finish(.answered(APNsAnswer(status: response.status, body: response.body)))
        case .response(let response):
            var answer = APNsAnswer(status: response.status, body: response.body)
            answer.retryAfter = response.retryAfter
            let verdict = UpdateVerdict(answer)
            refused(tag, answer, verdict, kind: kind, serial: entry.serial, on: sender)
            let isAboutSender =
                verdict.host == .newToken || verdict.host == .olderToken || answer.action == .connectForKey
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

    /// Once more, over another connection or with another provider token.
    private func repeated(_ entry: OneShots.Entry) -> Bool {
        guard entry.mayRepeat, !isClosed else { return false }
        var entry = entry
        entry.mayRepeat = false
        oneShots.add(entry)
        wake()
        return true
    }

    // MARK: - What may be sent

    /// Whether a push may be a repetition now. One that asks whether the host works again is none too many.
    var hasRoomForRepetition: Bool { budget.room > 0 || breaker.isStopped }

    /// How many of so many repetitions that wait for room may be looked at again.
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

    /// Whether a connection may show a provider token: it shows no two new ones within 20 minutes, but goes.
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

    /// There is another provider token.
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
        loop.report(.resumed(host: authority))
        wake()
    }

    /// Why nothing is sent but a push now and then.
    var stopCause: HostBreaker.Cause? { breaker.cause }

    /// - Parameter now: by `MonotonicTime`.
    func tick(_ now: Int64) {
        tickedAt = now
        budget.tick(now, phones: phones)
        repetitionsLeft =
            breaker.isStopped ? (breaker.letsThrough(now) ? 1 : 0) : budget.room
        sweep()
        while let late = oneShots.late(now) { end(late, .refused) }
        // Another provider token is a matter of moments.
        if let cause = breaker.cause, cause != .providerToken { finishWaiting(.held) }
        // Before there is work: the first wicket finds its connections open.
        if phones > 0, !isClosed, !loop.isFinishing, breaker.letsThrough(now) { dial() }
    }

    // MARK: - Answers

    func accepted(_ tag: Int, kind: PushKind = .update) {
        if kind == .update { accepted += 1 } else { count(kind, PushResult.outcome(status: 200)) }
        acceptedAt = tickedAt
        budget.answered(mustBeRepeated: false)
        if breaker.answeredWell(tag) { hasResumed() }
        if hasWaited {
            hasWaited = false
            backoff.reset()
        }
    }

    /// - Parameter isFree: it was not looked at because its connection went.
    func notProcessed(_ tag: Int, kind: PushKind = .update, isFree: Bool) {
        count(kind, "refused")
        if !isFree { budget.answered(mustBeRepeated: true) }
        breaker.lost(tag, now: MonotonicTime.now)
    }

    func unanswered(_ tag: Int, _ reason: HTTP2Outcome.Reason, kind: PushKind = .update) {
        count(kind, "unknown")
        // A connection that is lost is one answer, however much was under way on it.
        if case .connectionLost = reason {} else { budget.answered(mustBeRepeated: true) }
        breaker.lost(tag, now: MonotonicTime.now)
    }

    /// Does what a refusal asks of all pushes.
    /// - Parameter serial: of the provider token it was sent with.
    func refused(
        _ tag: Int, _ answer: APNsAnswer, _ verdict: UpdateVerdict, kind: PushKind = .update, serial: Int,
        on sender: HTTP2Sender
    ) {
        count(kind, PushResult.outcome(status: answer.status))
        if verdict.endsConnection { drain(sender) }
        if case .again = verdict.phone { budget.answered(mustBeRepeated: true) }
        let now = MonotonicTime.now
        switch verdict.host {
        case .goOn:
            if verdict.phone == .leaveOut, loop.malformed.isDue(authority, PushFailure(answer), now: now) {
                loop.report(.malformed(.init(status: answer.status, reason: answer.reasonText ?? "", host: authority)))
            }
            if breaker.answeredWell(tag) { hasResumed() }
        case .error, .throttles:
            // How long one phone is to be left alone says nothing of the others.
            let wait = verdict.host == .error ? answer.retryAfter : nil
            if breaker.answeredWithError(tag, retryAfter: wait, now: now) {
                loop.report(.stopped(host: authority, cause: HostBreaker.Cause.serverErrors.rawValue))
            }
        case .newToken, .olderToken:
            // Another is shown already: this was sent before.
            guard serial == loop.authorization?.serial else { return breaker.lost(tag, now: now) }
            guard breaker.stop(for: .providerToken, tag, now: now) else { return }
            let isExpired = verdict.host == .newToken
            loop.report(isExpired ? .expiredToken(serial: serial) : .tooManyTokens(serial: serial))
        case .stopUnlessItTakesOthers where now - acceptedAt < Self.acceptedLately:
            // A token of another app. Anybody can register one: it must not hold up everybody else.
            breaker.lost(tag, now: now)
        case .stop, .stopUnlessItTakesOthers:
            guard breaker.stop(for: .refusal, tag, now: now) else { return }
            loop.report(.refused(.init(status: answer.status, reason: answer.reasonText ?? "", host: authority)))
            renewConnections()
        }
    }

    private func count(_ kind: PushKind, _ outcome: String) {
        counts[PushCount(kind: kind, outcome: outcome), default: 0] += 1
    }

    /// Pushes since that was last asked, and how many of the updates among them were repetitions.
    func takeCounts() -> (pushes: [PushCount: Int], repetitions: Int) {
        var pushes = counts
        if accepted > 0 { pushes[PushCount(kind: .update, outcome: PushResult.outcome(status: 200))] = accepted }
        defer { (accepted, repetitions, counts) = (0, 0, [:]) }
        return (pushes, repetitions)
    }

    // MARK: - Connections

    func sweep() { for sender in senders { sender.sweep() } }

    /// Lets go of all connections once what is under way on them is answered; new pushes go over new ones.
    func renewConnections() { for sender in senders { drain(sender) } }

    /// Lets go of a connection once what is under way on it is answered.
    func drain(_ sender: HTTP2Sender) { if sender.drain() { replace(sender) } }

    /// Its place is taken at once, unless it was of no use.
    private func replace(_ sender: HTTP2Sender) {
        if !sender.notes.isProven { waitABit() }
        dial()
    }

    func close() {
        isClosed = true
        for sender in senders { sender.close() }
        finishWaiting(.refused)
    }

    var connectionCount: Int { senders.count }
    /// Those that are made.
    var openConnections: Int { senders.count { $0.isOpen || $0.isEnding } }
    var inFlight: Int { senders.reduce(0) { $0 + $1.inFlight } }

    /// A connection carries its window, or its streams, once in each round trip.
    private var wanted: Int {
        if let fixed = limits.connections { return fixed }
        guard let sample = senders.first(where: { $0.isOpen && $0.roundTrip > 0 }) else { return 1 }
        let seconds = Double(sample.roundTrip) / 1e9
        let underWay = min(Self.windowBytes / 1_000, Double(min(sample.peerStreamsMax, limits.http.streamsMax)))
        let needed = Double(phones) / Self.reachIn
        return min(max(2, Int((needed * seconds / max(underWay, 1)).rounded(.up))), limits.connectionsMax)
    }

    private func dial() {
        guard MonotonicTime.now >= notBefore else { return }
        // One first, to measure by; and never more than a few handshakes at a time.
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
        guard let address else { return waitABit() }
        senders.append(
            HTTP2Sender(to: address, of: origin, tls: tls, reactor: loop.reactor, limits: limits.http, owner: self))
    }

    /// Once for all that are lost together.
    private func waitABit() {
        guard MonotonicTime.now >= notBefore else { return }
        hasWaited = true
        notBefore = MonotonicTime.now + MonotonicTime.nanoseconds(backoff.next())
    }

    func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
        if let entry = oneShots.take(tag) {
            finished(tag, entry, outcome, on: sender)
        } else {
            loop.finished(tag, outcome, on: sender, self)
        }
    }

    func opened(_ sender: HTTP2Sender) { wake() }

    func isGoingAway(_ sender: HTTP2Sender, _ reason: String) { replace(sender) }

    func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool) {
        budget.answered(mustBeRepeated: true)
        senders.removeAll { $0 === sender }
        // One that was told to go has its successor; after any other the next is made a little later, ever more so while
        // none of them carries a push.
        if !wasDraining || !sender.notes.isProven { waitABit() }
        if !isClosed { loop.report(.closed(environment, host: authority, reason: reason.message)) }
    }
}
