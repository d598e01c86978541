public import Sightscreen

/// One match as event-bus follows it: takes frames in, gives the next version out. Pure and `Codable`; its JSON is kept
/// beside the version it led to, so that a restart goes on from there and nothing is announced twice.
///
/// Each frame has every ball, so a frame that was missed, or folded into a newer one, costs nothing but time: what is new
/// is whatever this frame shows and the last committed one did not.
public struct MatchMachine: Codable, Sendable, Equatable {
    public let matchID: MatchID
    /// When the newest frame taken in was fetched, milliseconds since 1970; nil before the first.
    public private(set) var lastFetchedAt: Int64?
    /// More never happens between two polls; a frame of nonsense may show thousands.
    static let waitingMax = 64

    /// What is shown now, with version 0; nil before the first frame.
    public private(set) var content: ContentState?
    public private(set) var relevance: Double = 10

    private var order = FrameOrder()
    private var phases = PhaseMemory()
    private var log = EventLog()
    private var cooldown = CooldownFilter()
    private var waiting: [WaitingAlert] = []
    private var result = ResultWatch()
    /// The event behind `content.expanded.lastEvent`.
    private var lastEventKey: String?
    /// The result that is logged; nil while none is.
    private var loggedResult: MatchEvent?
    private var suspensions = 0
    private var isSuspended = false
    private var atStumps = false
    private var hasBegun = false
    private var lastVersionAt: Int64 = 0
    private var lastBall: LastBall?

    /// An event that should alert, and waits for a second part of the frame or a second frame to agree.
    struct WaitingAlert: Codable, Sendable, Equatable {
        var event: MatchEvent
        /// When it happened, milliseconds.
        var moment: Int64
        var firstFetchedAt: Int64
    }

    /// The newest delivery of the match: the one that brought its result.
    struct LastBall: Codable, Sendable, Equatable {
        var innings: Int
        var label: String
        var id: Int64
        var updatedAt: Int
    }

    public init(matchID: MatchID) { self.matchID = matchID }

    /// Takes in a frame. Nil when it changes nothing that is shown or logged, or is older than one taken in before.
    ///
    /// - Parameters:
    ///   - fetchedAt: when the provider gave it, milliseconds since 1970 by the database's clock, as `now`.
    ///   - unchangedUntil: when the provider last gave what was taken in before, if that was not offered each time; nil
    ///     when nobody knows. Nothing that this frame shows first is older.
    public mutating func apply(
        _ snapshot: MatchSnapshot, fetchedAt: Int64, unchangedUntil: Int64? = nil, now: Int64,
        timing: MatchTiming = MatchTiming()
    ) -> MatchChange? {
        if let lastFetchedAt, fetchedAt < lastFetchedAt { return nil }
        let earlier = lastFetchedAt.map { max($0, min(unchangedUntil ?? $0, fetchedAt)) }
        guard order.admits(snapshot) else { return nil }
        lastFetchedAt = fetchedAt
        let snapshot = phases.read(snapshot)

        var detected = EventDetector.events(in: snapshot).filter { !Self.isOurs($0.kind) }
        phases.keepBreak(&detected, in: snapshot)
        var (fresh, retracted) = log.take(detected, in: snapshot)
        noteLastBall(snapshot)
        result.observe(snapshot, now: now, timing: timing)
        _ = result.tick(now: now)
        fresh += phaseEvents(snapshot, fetchedAt: fetchedAt)
        fresh += resultEvents(snapshot, isFirst: earlier == nil, fetchedAt: fetchedAt, retracted: &retracted)

        var standing = detected
        if let settled = fresh.first(where: { $0.kind == .matchResult }) { standing.append(settled) }
        queueAlerts(fresh, retracted: retracted, snapshot: snapshot, earlier: earlier, fetchedAt: fetchedAt)
        let ready = readyAlerts(standing, snapshot: snapshot, fetchedAt: fetchedAt, now: now, timing: timing)

        let lastEvent = nextLastEvent(
            fresh, standing: standing, snapshot: snapshot, earlier: earlier, fetchedAt: fetchedAt, now: now,
            timing: timing)
        let state = DisplayStateBuilder.contentState(
            of: snapshot, lastEvent: lastEvent, result: result.settled, previous: content?.matchDisplayState)
        guard state != content || !fresh.isEmpty || !retracted.isEmpty || !ready.isEmpty else { return nil }

        relevance = Mood(of: snapshot, isSettled: result.settled != nil).relevance
        hasBegun = hasBegun || !snapshot.innings.isEmpty
        atStumps = if case .stumps = snapshot.phase { true } else { false }
        return publish(state, events: fresh, retracted: retracted, alerts: ready, now: now)
    }

    /// What time alone brings: the held result, or a keep-alive. Nil when nothing is due.
    public mutating func tick(now: Int64, timing: MatchTiming = MatchTiming()) -> MatchChange? {
        guard var state = content else { return nil }
        if result.tick(now: now), let text = result.settled {
            let event = resultEvent(text, at: now / 1_000)
            loggedResult = event
            state.matchDisplayState = state.matchDisplayState == .abandoned ? .abandoned : .completed
            state.matchSentiment = .neutral
            state.expanded.status = DisplayText.line(text)
            state.expanded.spoken = "\(DisplayText.line(text))."
            state.expanded.lastEvent = ContentState.LastEvent(kind: .matchResult, text: state.expanded.status ?? "")
            lastEventKey = event.key
            relevance = Mood.settledRelevance
            waiting = []
            guard cooldown.allows(event, in: nil) else {
                return publish(state, events: [event], retracted: [], alerts: [], now: now)
            }
            cooldown.record(event, in: nil)
            let alert = WaitingAlert(event: event, moment: now, firstFetchedAt: now)
            return publish(state, events: [event], retracted: [], alerts: [alert], now: now)
        }
        guard keepsAlive(state), now - lastVersionAt >= timing.keepAlive else { return nil }
        return publish(state, events: [], retracted: [], alerts: [], now: now)
    }

    /// Bus-side kinds: they come from what changed between frames or from the result watch, not from one frame.
    private static func isOurs(_ kind: EventKind) -> Bool {
        kind == .matchResult || kind == .suspended || kind == .resumed
    }

    private func keepsAlive(_ state: ContentState) -> Bool {
        switch state.matchDisplayState {
        case .live, .inningsBreak, .suspended: !atStumps
        case .scheduled, .completed, .abandoned, .other: false
        }
    }

    private mutating func publish(
        _ state: ContentState, events: [MatchEvent], retracted: [String], alerts: [WaitingAlert], now: Int64
    ) -> MatchChange {
        content = state
        lastVersionAt = now
        let newest = alerts.map(\.moment).max() ?? now
        let alert = AlertComposer.alert(for: alerts.map(\.event), state: state, at: Int(newest / 1_000))
        return MatchChange(
            contentState: state, events: events, retracted: retracted, priority: alert == nil ? 5 : 10, alert: alert,
            announced: alerts.map(\.event), relevance: relevance, isSettled: result.settled != nil,
            atStumps: atStumps, isSuspended: isSuspended, hasBegun: hasBegun)
    }
}

// MARK: - Events that one frame alone cannot show

extension MatchMachine {
    /// `suspended` and `resumed`, once per change.
    private mutating func phaseEvents(_ snapshot: MatchSnapshot, fetchedAt: Int64) -> [MatchEvent] {
        let interrupted = snapshot.phase == .interrupted
        if case .unknown = snapshot.phase { return [] }
        guard interrupted != isSuspended else { return [] }
        isSuspended = interrupted
        if interrupted { suspensions += 1 }
        let last = snapshot.innings.last
        return [
            MatchEvent(
                key: "\(interrupted ? "suspended" : "resumed"):\(suspensions)",
                kind: interrupted ? .suspended : .resumed, innings: last?.number, ball: last?.balls.last?.label,
                ballID: last?.balls.last?.id,
                text: interrupted ? StatusText.of(snapshot, result: nil) ?? "Play suspended" : "Play resumes",
                at: Int(fetchedAt / 1_000))
        ]
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
        // In the first frame of a match that was over before, the result is as old as its last ball.
        let event = resultEvent(text, at: isFirst ? Int64(lastBall?.updatedAt ?? 0) : fetchedAt / 1_000)
        if let loggedResult {
            // A last ball that came or went since moves the result with it, which is no news.
            guard loggedResult.ball != event.ball || loggedResult.innings != event.innings else { return [] }
            retracted.append(Self.resultKey)
            cooldown.record(event, in: nil)
        }
        loggedResult = event
        return [event]
    }

    static let resultKey = "matchResult"

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

// MARK: - Alerts and the last event

extension MatchMachine {
    private mutating func queueAlerts(
        _ fresh: [MatchEvent], retracted: [String], snapshot: MatchSnapshot, earlier: Int64?, fetchedAt: Int64
    ) {
        // An event that is only told differently (another bowler) has been waiting since it was first seen.
        let before = waiting.filter { retracted.contains($0.event.key) }
        waiting.removeAll { retracted.contains($0.event.key) }
        for event in fresh
        where KeyEventOrder.alerts(event, in: snapshot.format) && cooldown.allows(event, in: snapshot) {
            if let old = before.first(where: { $0.event.key == event.key && $0.event.ball == event.ball }) {
                waiting.append(WaitingAlert(event: event, moment: old.moment, firstFetchedAt: old.firstFetchedAt))
                continue
            }
            let moment = StalenessFilter.moment(of: event, earlier: earlier, fetchedAt: fetchedAt)
            waiting.append(WaitingAlert(event: event, moment: moment, firstFetchedAt: fetchedAt))
        }
        waiting = waiting.suffix(Self.waitingMax)
    }

    /// Takes from the waiting what may be announced now, and forgets what never will be.
    private mutating func readyAlerts(
        _ standing: [MatchEvent], snapshot: MatchSnapshot, fetchedAt: Int64, now: Int64, timing: MatchTiming
    ) -> [WaitingAlert] {
        var ready: [WaitingAlert] = []
        var left: [WaitingAlert] = []
        let overtaking = Overtaking(by: standing, in: snapshot)
        for entry in waiting {
            // The text may have been corrected since.
            guard StalenessFilter.isFresh(entry.moment, now: now, within: timing.alertFreshness),
                let event = standing.first(where: { $0.key == entry.event.key }), !overtaking.covers(event)
            else { continue }
            var current = entry
            current.event = event
            let agreement = Agreement(on: event, among: standing, in: snapshot)
            if agreement.suffices(after: fetchedAt - entry.firstFetchedAt) {
                ready.append(current)
                cooldown.record(event, in: snapshot)
            } else {
                left.append(current)
            }
        }
        waiting = left
        return ready
    }

    /// The key event of what is new; else what was shown before, as the provider words it now; else, when that was taken
    /// back, the newest that still stands.
    private mutating func nextLastEvent(
        _ fresh: [MatchEvent], standing: [MatchEvent], snapshot: MatchSnapshot, earlier: Int64?, fetchedAt: Int64,
        now: Int64, timing: MatchTiming
    ) -> ContentState.LastEvent? {
        let overtaking = Overtaking(by: standing, in: snapshot)
        let shown = fresh.filter { !overtaking.covers($0) }
        let timely = shown.filter {
            let moment = StalenessFilter.moment(of: $0, earlier: earlier, fetchedAt: fetchedAt)
            return StalenessFilter.isFresh(moment, now: now, within: timing.alertFreshness)
        }
        if let key = KeyEventOrder.sorted(timely).first ?? Self.newest(shown) {
            lastEventKey = key.key
            return ContentState.LastEvent(kind: key.kind, text: DisplayText.line(key.text))
        }
        guard let lastEventKey else { return nil }
        if let event = standing.first(where: { $0.key == lastEventKey }) {
            return ContentState.LastEvent(kind: event.kind, text: DisplayText.line(event.text))
        }
        if lastEventKey == Self.resultKey, let text = result.settled {
            return ContentState.LastEvent(kind: .matchResult, text: DisplayText.line(text))
        }
        let before = Self.newest(standing)
        self.lastEventKey = before?.key
        return before.map { ContentState.LastEvent(kind: $0.kind, text: DisplayText.line($0.text)) }
    }

    /// Of the last delivery that brought anything worth showing, the key event.
    private static func newest(_ events: [MatchEvent]) -> MatchEvent? {
        guard let last = events.last(where: { KeyEventOrder.rank($0) != nil }) else { return nil }
        return KeyEventOrder.sorted(events.filter { $0.innings == last.innings && $0.ball == last.ball }).first
    }
}
