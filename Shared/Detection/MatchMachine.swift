package import Cricket
public import SightscreenModels

/// One match as event-bus follows it: it reads frames and returns the next version. It is pure and `Codable`; its JSON
/// is kept beside the version it led to, so that a restart goes on from there and nothing is announced twice.
///
/// Each frame has every ball, so a frame that was missed, or merged into a newer one, costs nothing but time: an event
/// is new when this frame shows it and the last committed one did not.
public struct MatchMachine: Codable, Sendable, Equatable {
    public let matchID: MatchID
    /// When the newest frame taken in was fetched, milliseconds since 1970; nil before the first.
    public private(set) var lastFetchedAt: Int64?
    /// The most alerts and corrections that wait. Two polls never bring more; a frame of nonsense may show thousands.
    static let waitingMax = 64

    /// The state shown now, with version 0; nil before the first frame.
    public private(set) var content: ContentState?
    public private(set) var relevance: Double = 10

    private var order = FrameOrder()
    private var phases = PhaseMemory()
    private var targets = TargetMemory()
    private var matchDay = MatchDay()
    private var fleeting = FleetingEvents()
    private var log = EventLog()
    private(set) var cooldown = CooldownFilter()
    private(set) var waiting: [WaitingAlert] = []
    private var corrections: [WaitingCorrection] = []
    private var result = ResultTracker()
    private var silence = MatchSilence()
    /// The words of the held result, for the case that time alone brings it.
    private var resultWords: AlertWords?
    /// The event behind `content.expanded.lastEvent`.
    private var shown: ShownEvent?
    /// The result that is logged; nil while none is.
    private var loggedResult: MatchEvent?
    private var suspensions = 0
    /// The newest of `suspended`, `resumed` and `stumps`, which no later frame shows again.
    private var statusEvents: [EventKind: MatchEvent] = [:]
    /// When `suspended` and `resumed` were last announced, in milliseconds.
    private var rainToldAt: [EventKind: Int64] = [:]
    private var days = 0
    /// Balls of the match at the last stumps.
    private var ballsAtStumps = -1
    private var isSuspended = false
    private var atStumps = false
    private var hasBegun = false
    private var lastVersionAt: Int64 = 0
    /// When the events happened whose alerts are fresh, by key, in milliseconds.
    private var freshNews: [String: Int64]?
    private var lastBall: LastBall?

    /// An alert that goes out with the next version.
    private struct ReadyAlert {
        var told: AlertComposer.Announcement
        /// Milliseconds.
        var moment: Int64
    }

    /// The newest delivery of the match: the one that brought its result.
    struct LastBall: Codable, Sendable, Equatable {
        var innings: Int
        var label: String
        var id: Int64
        var updatedAt: Int
    }

    package init(matchID: MatchID) { self.matchID = matchID }

    /// Reads a frame. Returns nil when it changes nothing that is shown or logged, or is older than one read before.
    ///
    /// - Parameters:
    ///   - fetchedAt: when the provider gave the frame, in milliseconds since 1970 by the database's clock, as `now`.
    ///   - unchangedUntil: when the provider last repeated the frame before, if repetitions were not offered; nil when
    ///     that is not known. Nothing that this frame shows first is older.
    ///   - word: what the poller knows of the provider's answers; nil when it does not say.
    package mutating func apply(
        _ snapshot: MatchSnapshot, fetchedAt: Int64, unchangedUntil: Int64? = nil, word: MatchSilence.Word? = nil,
        now: Int64, timing: MatchTiming = MatchTiming()
    ) -> MatchChange? {
        if let lastFetchedAt, fetchedAt < lastFetchedAt { return nil }
        let earlier = lastFetchedAt.map { max($0, min(unchangedUntil ?? $0, fetchedAt)) }
        guard order.admits(snapshot) else { return nil }
        lastFetchedAt = fetchedAt
        let saysPhase = if case .unknown = snapshot.phase { false } else { true }
        let snapshot = ShortHandedInnings.read(targets.read(phases.read(snapshot)))
        matchDay.observe(snapshot)

        var detected = EventDetector.events(in: snapshot).filter { !Self.isOurs($0.kind) }
        phases.keepBreak(&detected, in: snapshot)
        fleeting.keep(&detected, in: snapshot)
        var (fresh, retracted) = log.take(detected, in: snapshot)
        // Events without a time of their own get the time of this frame.
        for place in fresh.indices where KeyEventOrder.isOfStatus(fresh[place].kind) {
            fresh[place].at = Int(fetchedAt / 1_000)
        }
        noteLastBall(snapshot)
        result.observe(snapshot, isFirst: earlier == nil, now: now, timing: timing)
        _ = result.tick(now: now)
        fresh += phaseEvents(snapshot, fetchedAt: fetchedAt)
        fresh += resultEvents(snapshot, isFirst: earlier == nil, fetchedAt: fetchedAt, retracted: &retracted)

        let standing = detected + statusEvents.values.sorted { $0.key < $1.key } + [loggedResult].compactMap { $0 }
        let frame = Frame(
            snapshot: snapshot, saysPhase: saysPhase, standing: standing, fetchedAt: fetchedAt, earlier: earlier,
            now: now, timing: timing)
        queueAlerts(fresh, retracted: retracted, in: frame)
        let corrected = readyCorrections(retracted, in: frame)
        let ready = corrected + readyAlerts(in: frame, besides: corrected)
        resultWords = result.held.map { frame.commentary.words(resultEvent($0, at: now / 1_000)) }

        let lastEvent = nextLastEvent(fresh, corrected: corrected, in: frame)
        let state = DisplayStateBuilder.contentState(
            of: snapshot, lastEvent: lastEvent, result: result.settled, previous: content?.matchDisplayState,
            session: matchDay.text(snapshot))
        let wasAtStumps = atStumps
        atStumps = isOverForToday(snapshot.phase)
        let isChanged =
            state != content || !fresh.isEmpty || !retracted.isEmpty || !ready.isEmpty || atStumps != wasAtStumps
        silence.note(word, fetchedAt: fetchedAt, isChanged: isChanged)
        guard isChanged else { return fallSilent(in: frame) }
        let hasMoved = !snapshot.innings.isEmpty && Self.hasMoved(from: content, to: state)
        let isUrgent = hasMoved && Self.isLateInChase(snapshot)

        relevance = Closeness(of: snapshot, isSettled: result.settled != nil).relevance
        hasBegun = hasBegun || !snapshot.innings.isEmpty
        return publish(
            state, events: fresh, retracted: retracted, alerts: ready, overtaken: overtakenNews(in: frame),
            hasMoved: hasMoved, isUrgent: isUrgent, now: now)
    }

    /// Ends a match that the provider has repeated for too long: by its runs where they decide it, else as one that
    /// nobody reports any more. Neither alerts anybody.
    private mutating func fallSilent(in frame: Frame) -> MatchChange? {
        guard hasBegun, !silence.isCalled, result.settled == nil else { return nil }
        let (snapshot, now) = (frame.snapshot, frame.now)
        if silence.elapsed >= MatchSilence.decided, result.decide(by: snapshot), let text = result.settled {
            let event = resultEvent(text, at: now / 1_000)
            loggedResult = event
            // It is told to nobody, neither now nor when the provider says it, and needs no correction.
            cooldown.record(event, in: nil)
            cooldown.takeBack(event.key)
            waiting = []
            relevance = Closeness.settledRelevance
            let last = show(event, in: frame)
            let state = DisplayStateBuilder.contentState(
                of: snapshot, lastEvent: last, result: text, previous: content?.matchDisplayState,
                session: matchDay.text(snapshot))
            return publish(state, events: [event], retracted: [], alerts: [], now: now)
        }
        guard silence.isTooLong(in: snapshot.phase, inPlay: frame.timing.silenceAfter) else { return nil }
        return endByHand(now: now)
    }

    /// Ends the match as one that nobody reports any more; only a change takes it back. Nil when it is over already.
    package mutating func endByHand(now: Int64) -> MatchChange? {
        guard let content, !silence.isCalled, result.settled == nil else { return nil }
        silence.call()
        waiting = []
        return publish(content, events: [], retracted: [], alerts: [], now: now)
    }

    /// When an alert that waits for the result goes out without it, in milliseconds; nil while none waits.
    public var nextDueAt: Int64? { waiting.compactMap(\.hold?.until).min() }

    /// Returns the version that time alone brings: the held result, an alert that waited for one, or a keep-alive. Nil
    /// when nothing is due.
    package mutating func tick(now: Int64, timing: MatchTiming = MatchTiming()) -> MatchChange? {
        guard var state = content, !silence.isCalled else { return nil }
        if result.tick(now: now), let text = result.settled {
            let event = resultEvent(text, at: result.isOld == true ? lastBallAt : now / 1_000)
            loggedResult = event
            state.matchDisplayState = state.matchDisplayState == .abandoned ? .abandoned : .completed
            state.matchSentiment = .neutral
            state.expanded.status = DisplayText.line(text)
            state.expanded.outcome = result.outcome
            state.expanded.equation = nil
            let last = ContentState.LastEvent(
                kind: .matchResult, ball: event.ball, text: state.expanded.status ?? "")
            state.expanded.lastEvent = last
            shown = ShownEvent(event, as: last, ballsBefore: 0)
            relevance = Closeness.settledRelevance
            waiting = []
            guard let resultWords, result.isOld != true, cooldown.allows(event, in: nil) else {
                return publish(state, events: [event], retracted: [], alerts: [], now: now)
            }
            cooldown.record(event, in: nil)
            let alert = ReadyAlert(told: .init(event: event, words: resultWords), moment: now)
            return publish(state, events: [event], retracted: [], alerts: [alert], now: now)
        }
        let due = dueAlerts(now: now, timing: timing)
        if !due.isEmpty { return publish(state, events: [], retracted: [], alerts: due, now: now) }
        guard keepsAlive(state), now - lastVersionAt >= timing.keepAlive else { return nil }
        return publish(state, events: [], retracted: [], alerts: [], now: now)
    }

    /// Kinds that one frame cannot show: they come from changes between frames or from the result tracker.
    private static func isOurs(_ kind: EventKind) -> Bool {
        [.matchResult, .suspended, .resumed, .stumps].contains(kind)
    }

    /// Whether frames of the match are to come: play goes on today, and somebody reports it. A match that is over leaves
    /// the provider's list.
    package var awaitsFrames: Bool {
        result.settled == nil && !silence.isCalled && (content.map(keepsAlive) ?? false)
    }

    private func keepsAlive(_ state: ContentState) -> Bool {
        switch state.matchDisplayState {
        case .live, .inningsBreak, .suspended: !atStumps
        case .scheduled, .completed, .abandoned, .other: false
        }
    }

    private mutating func publish(
        _ state: ContentState, events: [MatchEvent], retracted: [String], alerts: [ReadyAlert],
        overtaken: [String] = [], hasMoved: Bool = false, isUrgent: Bool = false, now: Int64
    ) -> MatchChange {
        content = state
        lastVersionAt = now
        let newest = alerts.map(\.moment).max() ?? now
        let told = AlertComposer.ordered(alerts.map(\.told))
        let alert = AlertComposer.alert(for: told, state: state, at: Int(newest / 1_000))
        for alert in alerts {
            freshNews = (freshNews ?? [:]).merging([alert.told.event.key: alert.moment]) { max($0, $1) }
        }
        return MatchChange(
            contentState: silence.shown(state), events: events, retracted: retracted,
            priority: alert != nil || isUrgent ? 10 : 5, alert: alert,
            announced: told.map(\.event), news: AlertComposer.news(of: told), overtaken: overtaken,
            relevance: relevance, isSettled: result.settled != nil, isSilent: silence.isCalled, atStumps: atStumps,
            isSuspended: isSuspended, hasMoved: hasMoved, hasBegun: hasBegun,
            phase: (phases.phase ?? .notStarted).name,
            isBreak: phases.phase?.isBreak ?? false || result.awaitsSuperOver ?? false)
    }
}

// MARK: - Events that one frame alone cannot show

extension MatchMachine {
    /// `suspended` and `resumed`, once per change, and `stumps`, once per day.
    private mutating func phaseEvents(_ snapshot: MatchSnapshot, fetchedAt: Int64) -> [MatchEvent] {
        let interrupted = snapshot.phase == .interrupted
        if case .unknown = snapshot.phase { return [] }
        var events: [MatchEvent] = []
        func add(_ kind: EventKind, _ number: Int, _ text: String) {
            let last = snapshot.innings.last
            let event = MatchEvent(
                key: "\(kind.rawValue):\(number)", kind: kind, innings: last?.number, ball: last?.balls.last?.label,
                ballID: last?.balls.last?.id, text: text, at: Int(fetchedAt / 1_000))
            statusEvents[kind] = event
            events.append(event)
        }
        if interrupted != isSuspended {
            isSuspended = interrupted
            if interrupted { suspensions += 1 }
            add(
                interrupted ? .suspended : .resumed, suspensions,
                interrupted ? StatusText.of(snapshot, result: nil) ?? "Play stopped" : "Play resumes")
        }
        if case .stumps(let day) = snapshot.phase {
            // A status that flickers does not end another day.
            let balls = snapshot.innings.reduce(0) { $0 + $1.balls.count }
            if balls > ballsAtStumps {
                days = max(day, days + 1)
                add(.stumps, days, "Stumps, day \(days)")
            }
            ballsAtStumps = max(balls, ballsAtStumps)
        }
        return events
    }

    private mutating func resultEvents(
        _ snapshot: MatchSnapshot, isFirst: Bool, fetchedAt: Int64, retracted: inout [String]
    ) -> [MatchEvent] {
        guard let text = result.settled else {
            if loggedResult != nil {
                loggedResult = nil
                retracted.append(Self.resultKey)
            }
            return []
        }
        // In the first frame of a match that was already over, the result is as old as its last ball.
        let event = resultEvent(text, at: isFirst || result.isOld == true ? lastBallAt : fetchedAt / 1_000)
        if let loggedResult {
            // A last ball that came or went since then moves the result, which is no news.
            guard loggedResult.ball != event.ball || loggedResult.innings != event.innings else { return [] }
            retracted.append(Self.resultKey)
            cooldown.record(event, in: nil)
        }
        loggedResult = event
        return [event]
    }

    static let resultKey = "matchResult"

    private var lastBallAt: Int64 { Int64(lastBall?.updatedAt ?? 0) }

    private func resultEvent(_ text: String, at: Int64) -> MatchEvent {
        MatchEvent(
            key: Self.resultKey, kind: .matchResult, innings: lastBall?.innings, ball: lastBall?.label,
            ballID: lastBall?.id, text: DisplayText.line(text), at: Int(at))
    }

    private mutating func noteLastBall(_ snapshot: MatchSnapshot) {
        guard let innings = snapshot.innings.last(where: { !$0.balls.isEmpty }), let ball = innings.balls.last else {
            return
        }
        lastBall = LastBall(innings: innings.number, label: ball.label, id: ball.id, updatedAt: ball.updatedAt)
    }
}

// MARK: - Alerts

extension MatchMachine {
    /// A frame with the values that are worked out once for it.
    private struct Frame {
        let snapshot: MatchSnapshot
        /// Whether the provider's phase is known; otherwise `snapshot` has the phase of the frame before.
        let saysPhase: Bool
        /// Every event that stands, in order of play.
        let standing: [MatchEvent]
        let fetchedAt: Int64
        /// When the frame before was fetched.
        let earlier: Int64?
        let now: Int64
        let timing: MatchTiming
        let overtaking: Overtaking
        let commentary: Commentary

        init(
            snapshot: MatchSnapshot, saysPhase: Bool, standing: [MatchEvent], fetchedAt: Int64, earlier: Int64?,
            now: Int64, timing: MatchTiming
        ) {
            self.snapshot = snapshot
            self.saysPhase = saysPhase
            self.standing = standing
            self.fetchedAt = fetchedAt
            self.earlier = earlier
            self.now = now
            self.timing = timing
            overtaking = Overtaking(by: standing, in: snapshot)
            commentary = Commentary(snapshot, standing: standing)
        }

        /// When the event happened, in milliseconds. An event of the status happened when it was first seen.
        func moment(of event: MatchEvent) -> Int64 {
            if KeyEventOrder.isOfStatus(event.kind) { return earlier == nil ? 0 : fetchedAt }
            return StalenessFilter.moment(of: event, earlier: earlier, fetchedAt: fetchedAt)
        }

        func isFresh(_ moment: Int64) -> Bool {
            StalenessFilter.isFresh(moment, now: now, within: timing.alertFreshness)
        }
    }

    private mutating func queueAlerts(_ fresh: [MatchEvent], retracted: [String], in frame: Frame) {
        // An event that only changed its content (another bowler) has been waiting since it was first seen.
        let before = waiting.filter { retracted.contains($0.event.key) }
        waiting.removeAll { retracted.contains($0.event.key) }
        for event in fresh
        where KeyEventOrder.alerts(event, in: frame.snapshot.format) && cooldown.allows(event, in: frame.snapshot) {
            if let old = before.first(where: { $0.event.key == event.key && $0.event.ball == event.ball }) {
                waiting.append(WaitingAlert(event: event, moment: old.moment, firstFetchedAt: old.firstFetchedAt))
                continue
            }
            // The first frame does not say how long a status has lasted.
            if KeyEventOrder.isOfStatus(event.kind), frame.earlier == nil { continue }
            if event.kind == .matchResult, result.isOld == true, !frame.isFresh(lastBallAt * 1_000) { continue }
            waiting.append(
                WaitingAlert(event: event, moment: frame.moment(of: event), firstFetchedAt: frame.fetchedAt))
        }
        waiting = waiting.suffix(Self.waitingMax)
    }

    /// Returns the waiting alerts that may go out now, and drops those that never will.
    private mutating func readyAlerts(in frame: Frame, besides corrected: [ReadyAlert]) -> [ReadyAlert] {
        var ready: [ReadyAlert] = []
        var left: [WaitingAlert] = []
        let awaitsEnd = awaitsEnd(in: frame.snapshot)
        var announced: [CooldownFilter.Announced] = []
        for entry in waiting {
            // The text may have been corrected since.
            guard let event = frame.standing.first(where: { $0.key == entry.event.key }),
                !frame.overtaking.covers(event)
            else { continue }
            var current = entry
            current.event = event
            let isAgreed = Agreement(on: event, among: frame.standing, in: frame.snapshot)
                .suffices(after: frame.fetchedAt - entry.firstFetchedAt)
            if KeyEventOrder.isOfStatus(event.kind) {
                guard frame.saysPhase else {
                    left.append(current)
                    continue
                }
                // After polls that failed the second frame may come long after the first.
                if isAgreed { current.moment = frame.fetchedAt }
            } else if !frame.isFresh(entry.moment) {
                continue
            }
            guard isAgreed else {
                left.append(current)
                continue
            }
            guard allowsRain(event.kind, in: frame), !isTold(event, in: frame.snapshot) else { continue }
            let words = frame.commentary.words(event)
            let told = CooldownFilter.entry(
                event, in: frame.snapshot, isKey: words.isKey, name: frame.commentary.name(of: event))
            let until = entry.firstFetchedAt + frame.timing.resultWait
            if awaitsEnd, frame.now < until {
                current.hold = .init(until: until, words: words, entry: told)
                left.append(current)
                continue
            }
            ready.append(ReadyAlert(told: .init(event: event, words: words), moment: current.moment))
            announced.append(told)
        }
        // The end of an innings announces the revised target, which needs no second alert.
        if ready.contains(where: { $0.told.event.kind == .inningsBreak && $0.told.event.innings == 1 }),
            let target = frame.snapshot.revisedTarget,
            let place = left.firstIndex(where: { $0.event.key == EventDetector.targetKey(target) })
        {
            let entry = left.remove(at: place)
            let words = frame.commentary.words(entry.event)
            ready.append(ReadyAlert(told: .init(event: entry.event, words: words), moment: entry.moment))
            announced.append(CooldownFilter.entry(entry.event, in: frame.snapshot, isKey: words.isKey, name: nil))
        }
        waiting = left
        record(announced, besides: corrected)
        return ready
    }

    /// Records events that are announced together: followers of key alerts hear all of them when one is key.
    private mutating func record(_ announced: [CooldownFilter.Announced], besides corrected: [ReadyAlert] = []) {
        let isKey = announced.contains { $0.isKey == true } || corrected.contains(where: \.told.words.isKey)
        for var entry in announced {
            entry.isKey = isKey
            cooldown.record(entry)
        }
    }

    /// Whether the last ball has decided the match or ended the innings, and the provider has not said so yet.
    private func awaitsEnd(in snapshot: MatchSnapshot) -> Bool {
        guard result.settled == nil else { return false }
        if case .won = RunsResult(snapshot) { return true }
        guard case .innings(let number) = snapshot.phase, number == snapshot.innings.last?.number else { return false }
        return MatchSituation(snapshot).isInningsOver
    }

    /// Whether rain or its end may alert. Showers come and go, so each is announced once per `rainInterval`.
    private mutating func allowsRain(_ kind: EventKind, in frame: Frame) -> Bool {
        guard kind == .suspended || kind == .resumed else { return true }
        // The end of an interruption that was not announced is not announced either.
        if kind == .resumed, rainToldAt[.resumed] ?? 0 >= rainToldAt[.suspended] ?? 0 { return false }
        if let before = rainToldAt[kind], frame.now - before < frame.timing.rainInterval { return false }
        rainToldAt[kind] = frame.now
        return true
    }
    /// Alerts that waited for a result that did not come in time.
    private mutating func dueAlerts(now: Int64, timing: MatchTiming) -> [ReadyAlert] {
        var due: [ReadyAlert] = []
        var announced: [CooldownFilter.Announced] = []
        waiting.removeAll { entry in
            guard let hold = entry.hold, now >= hold.until else { return false }
            guard StalenessFilter.isFresh(entry.moment, now: now, within: timing.alertFreshness) else { return true }
            due.append(ReadyAlert(told: .init(event: entry.event, words: hold.words), moment: entry.moment))
            announced.append(hold.entry)
            return true
        }
        record(announced)
        return due
    }

    /// Keys of fresh news that the match has moved past.
    private mutating func overtakenNews(in frame: Frame) -> [String] {
        freshNews = freshNews?.filter { frame.isFresh($0.value) }
        guard let fresh = freshNews, !fresh.isEmpty else { return [] }
        let past = frame.standing.filter { fresh[$0.key] != nil && frame.overtaking.covers($0) }
        // A longer streak names the wickets of the shorter one.
        let told = past.filter { frame.overtaking.isLongerStreak(than: $0) }.compactMap(\.ballID)
        let wickets = frame.standing.filter { event in
            event.kind == .wicket && fresh[event.key] != nil && event.ballID.map(told.contains) ?? false
        }
        let keys = Set((past + wickets).map(\.key))
        freshNews = fresh.filter { !keys.contains($0.key) }
        return keys.sorted()
    }

    /// Corrections of announced events that stand no more: at once where the frame itself is certain, otherwise when
    /// the next frame says the same. Each is announced once.
    private mutating func readyCorrections(_ retracted: [String], in frame: Frame) -> [ReadyAlert] {
        let standing = Set(frame.standing.lazy.map(\.key))
        for key in retracted where !corrections.contains(where: { $0.key == key }) && cooldown.standing(key) != nil {
            corrections.append(WaitingCorrection(key: key, firstFetchedAt: frame.fetchedAt))
        }
        var ready: [ReadyAlert] = []
        corrections.removeAll { correction in
            guard !standing.contains(correction.key), let old = cooldown.standing(correction.key) else { return true }
            guard frame.fetchedAt > correction.firstFetchedAt || Correction.isCertain(old, in: frame.snapshot) else {
                return false
            }
            cooldown.takeBack(correction.key)
            ready.append(
                ReadyAlert(
                    told: Correction.announcement(of: old, in: frame.snapshot, at: Int(frame.fetchedAt / 1_000)),
                    moment: frame.fetchedAt))
            return true
        }
        corrections = corrections.suffix(Self.waitingMax)
        return ready
    }
}

// MARK: - The last event

extension MatchMachine {
    static func balls(of snapshot: MatchSnapshot) -> Int {
        snapshot.innings.reduce(0) { $0 + $1.balls.count }
    }

    /// The last event to show: the key event of the new ones; without one, the event shown before for six balls, in the
    /// provider's newest words; and when that was retracted, the newest that still stands.
    private mutating func nextLastEvent(
        _ fresh: [MatchEvent], corrected: [ReadyAlert], in frame: Frame
    ) -> ContentState.LastEvent? {
        let candidates = fresh.filter { !frame.overtaking.covers($0) }
        let timely = candidates.filter { frame.isFresh(frame.moment(of: $0)) }
        let correction = corrected.map(\.told).min { $0.words.rank < $1.words.rank }
        // After an outage the newest of what was missed may be long past.
        let missed = Self.newest(candidates).flatMap { isPast($0, in: frame) ? nil : $0 }
        if let key = KeyEventOrder.sorted(timely).first ?? (correction == nil ? missed : nil),
            KeyEventOrder.rank(key) ?? .max <= correction?.words.rank ?? .max, !isOutranked(key, in: frame)
        {
            return show(key, in: frame)
        }
        if let correction { return show(correction.event, in: frame) }
        guard let shown else { return nil }
        if let event = frame.standing.first(where: { $0.key == shown.key }) {
            self.shown?.last = Self.lastEvent(event, ball: event.ball ?? shown.last.ball)
        } else if shown.last.kind.known != .correction {
            guard let event = Self.newest(frame.standing.filter { !Self.isRefuted($0, in: frame) }) else {
                self.shown = nil
                return nil
            }
            _ = show(event, in: frame)
        }
        let isRefuted = frame.standing.contains { $0.key == self.shown?.key && Self.isRefuted($0, in: frame) }
        guard isRefuted || self.shown?.isPast(in: frame.snapshot) == true else { return self.shown?.last }
        self.shown = nil
        // An event that a later ball refuted is replaced by the one before it.
        if isRefuted, let event = Self.newest(frame.standing.filter { !Self.isRefuted($0, in: frame) }) {
            _ = show(event, in: frame)
            if self.shown?.isPast(in: frame.snapshot) == true { self.shown = nil }
        }
        return self.shown?.last
    }

    /// Whether the event shown is of the same ball and more important: a new batter after a hat-trick does not replace
    /// it.
    private func isOutranked(_ event: MatchEvent, in frame: Frame) -> Bool {
        guard let shown, let before = frame.standing.first(where: { $0.key == shown.key }), before.key != event.key,
            let ball = event.ball, before.ball == ball, before.innings == event.innings,
            let rank = KeyEventOrder.rank(event), let rankBefore = KeyEventOrder.rank(before)
        else { return false }
        return rankBefore < rank
    }

    /// Whether a later ball decided what the event announced as open: "KKR need 11", "on a hat-trick".
    private static func isRefuted(_ event: MatchEvent, in frame: Frame) -> Bool {
        (event.kind == .closeFinish || event.kind == .onHatTrick) && frame.overtaking.covers(event)
    }

    private func isPast(_ event: MatchEvent, in frame: Frame) -> Bool {
        let last = Self.lastEvent(event, ball: event.ball)
        return ShownEvent(event, as: last, ballsBefore: Self.balls(of: frame.snapshot)).isPast(in: frame.snapshot)
    }

    private mutating func show(_ event: MatchEvent, in frame: Frame) -> ContentState.LastEvent {
        let last = Self.lastEvent(event, ball: event.ball)
        shown = ShownEvent(event, as: last, ballsBefore: Self.balls(of: frame.snapshot))
        return last
    }

    private static func lastEvent(_ event: MatchEvent, ball: String?) -> ContentState.LastEvent {
        ContentState.LastEvent(kind: event.kind, ball: ball, text: DisplayText.line(event.text))
    }

    /// The key event of the last delivery that brought anything worth showing.
    private static func newest(_ events: [MatchEvent]) -> MatchEvent? {
        let ofPlay = events.filter { !KeyEventOrder.isOfStatus($0.kind) }
        guard let last = ofPlay.last(where: { KeyEventOrder.rank($0) != nil }) else { return nil }
        return KeyEventOrder.sorted(ofPlay.filter { $0.innings == last.innings && $0.ball == last.ball }).first
    }
}
