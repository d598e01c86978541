import SightscreenModels

/// The state that the page shows, and the browsers that show it.
///
/// Nothing is queued for a browser: it is notified, and takes the newest state when it can.
actor Lab {
    /// The most browser windows, more than one demonstration has.
    static let browsersMax = 16

    /// The changes that a browser has not been sent yet.
    struct Update: Sendable {
        /// The browser's number, in its first update.
        var hello: Int?
        var lab: LabState?
        /// Phones in short: all of them when `isWhole`, otherwise those that have changed.
        var phones: [LabPhoneSummary] = []
        var isWhole = false
        /// The phone that the browser has selected.
        var phone: LabPhoneState?
    }

    struct Ticket: Sendable {
        var id: Int
        /// The stream yields when there is something new, and ends when the lab does.
        var wakeUps: AsyncStream<Void>
    }

    private struct Browser {
        var isNew = true
        var selected: String?
        var selectedHasChanged = true
        var changed: Set<String> = []
        var sentState: LabState?
        var wakeUps: AsyncStream<Void>.Continuation
    }

    private let order: [String]
    private let phones: [String: any LabPhone]
    private let now: @Sendable () -> Int64
    private var states: [String: LabPhoneState] = [:]
    private var summaries: [String: LabPhoneSummary] = [:]
    private var positions: [(match: MatchID, title: String, tape: LabTapePosition)] = []
    private var contents: [MatchID: ContentState] = [:]
    private var channels: [MatchID: [LabChannel]] = [:]
    private var stages: [LabStage] = []
    private var faults = LabState.Faults()
    private var latency = BallLatency()
    private var browsers: [Int: Browser] = [:]
    private var nextBrowser = 1
    private var isStopped = false
    private var end = MatchEnd()

    /// - Parameter now: the time in milliseconds since 1970.
    init(phones: [any LabPhone], now: @escaping @Sendable () -> Int64) {
        order = phones.map(\.id)
        self.phones = Dictionary(phones.map { ($0.id, $0) }) { first, _ in first }
        self.now = now
    }

    func phone(_ id: String) -> (any LabPhone)? { phones[id] }

    var allPhones: [any LabPhone] { order.compactMap { phones[$0] } }

    /// The match of an action that names none: the last one that plays, otherwise the last one loaded.
    var currentMatch: MatchID? { (positions.last { $0.tape.isPlaying } ?? positions.last)?.match }

    // MARK: - Events

    func take(_ state: LabPhoneState) {
        let before = states.updateValue(state, forKey: state.id)
        guard before != state else { return }
        latency.take(state, before: before)
        for activity in state.activities { learn(activity.content, of: activity.matchId) }
        let summary = LabPhoneSummary(state)
        let isNew = summaries.updateValue(summary, forKey: state.id) != summary
        for id in browsers.keys {
            if isNew { browsers[id]?.changed.insert(state.id) }
            let isSelected = browsers[id]?.selected == state.id
            if isSelected { browsers[id]?.selectedHasChanged = true }
            if isNew || isSelected { wake(id) }
        }
    }
    /// Stores the positions of the tapes.
    ///
    /// - Parameter shownAtMs: when each match's newest frame came, by match.
    func take(_ new: [(match: MatchID, title: String, tape: LabTapePosition)], shownAtMs: [MatchID: Int64]) {
        for entry in new {
            let before = positions.first { $0.match == entry.match }?.tape
            if before?.cursor != entry.tape.cursor {
                latency.show(entry.tape.label, of: entry.match, atMs: shownAtMs[entry.match] ?? now())
            }
        }
        guard positions.map(\.tape) != new.map(\.tape) || positions.map(\.match) != new.map(\.match) else { return }
        positions = new
        wakeAll()
    }
    /// Stores a match's display state from any source, if it is newer.
    func learn(_ content: ContentState, of match: MatchID) {
        guard content.version > contents[match]?.version ?? -1 else { return }
        contents[match] = content
        wakeAll()
    }

    func take(_ new: [LabStage]) {
        guard stages != new else { return }
        stages = new
        wakeAll()
    }

    /// Stores the channels of all matches; a match that is missing has none.
    func take(_ new: [MatchID: [LabChannel]]) {
        guard channels != new else { return }
        channels = new
        wakeAll()
    }

    func take(_ new: LabState.Faults) {
        guard faults != new else { return }
        faults = new
        wakeAll()
    }

    /// Notifies all browsers, so that each gets a heartbeat and one that has gone is noticed.
    func wakeAll() {
        for id in browsers.keys { wake(id) }
    }

    // MARK: - The state

    var state: LabState {
        let matches = positions.map { entry in
            LabMatch(
                id: entry.match, title: entry.title, tape: entry.tape, version: contents[entry.match]?.version ?? 0,
                content: contents[entry.match], channels: channels(of: entry.match))
        }
        return LabState(
            atMs: now(), matches: matches, stages: stages, latency: latency.summary, phones: counts, faults: faults)
    }

    private func channels(of match: MatchID) -> [LabChannel] {
        guard var found = channels[match] else { return [] }
        let cards = summaries.values.flatMap(\.shown).filter { $0.matchId == match && $0.state != .ended }
        for index in found.indices {
            guard let id = found[index].id else { continue }
            found[index].listeners = cards.count { $0.channel == id }
        }
        return found
    }

    var phonesInShort: [LabPhoneSummary] { order.compactMap { summaries[$0] } }

    func state(of phone: String) -> LabPhoneState? { states[phone] }

    func summary() -> MatchSummary.Answer {
        let summary = MatchSummary(state: state, phones: phonesInShort)
        return MatchSummary.Answer(
            isOver: end.isOver(state),
            progress: states.values.reduce(0) { sum, phone in
                sum + (phone.alert?.id ?? 0) + phone.activities.reduce(0) { $0 + $1.content.version }
            }, balls: state.latency.count, lines: summary.lines, faults: summary.faults)
    }

    private var counts: LabState.Counts {
        var counts = LabState.Counts()
        for summary in summaries.values {
            counts.all += 1
            if summary.isOnline { counts.online += 1 }
            let going = summary.shown.filter { $0.state != .ended }
            if !going.isEmpty { counts.showing += 1 }
            if going.contains(where: { $0.version < contents[$0.matchId]?.version ?? 0 }) { counts.behind += 1 }
            if going.contains(where: { $0.state == .stale }) { counts.stale += 1 }
        }
        return counts
    }

    // MARK: - Browsers

    /// - Returns: nil when there are too many browsers, or the lab ends.
    func connect(selecting phone: String?) -> Ticket? {
        guard !isStopped, browsers.count < Self.browsersMax else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = nextBrowser
        nextBrowser += 1
        browsers[id] = Browser(selected: phone ?? order.first, wakeUps: continuation)
        // The handler also ends streams of browsers that left before their answer began.
        continuation.onTermination = { [weak self] _ in Task { await self?.disconnect(id) } }
        continuation.yield()
        return Ticket(id: id, wakeUps: stream)
    }

    /// Selects a phone. Returns false when there is no such browser or phone.
    func select(_ phone: String, by browser: Int) -> Bool {
        guard browsers[browser] != nil, phones[phone] != nil else { return false }
        browsers[browser]?.selected = phone
        browsers[browser]?.selectedHasChanged = true
        wake(browser)
        return true
    }

    /// The changes for a browser; nil when it is no longer connected.
    func update(for id: Int) -> Update? {
        guard var browser = browsers[id] else { return nil }
        var update = Update()
        var state = state
        if browser.isNew {
            update.hello = id
            update.isWhole = true
            update.phones = phonesInShort
        } else {
            update.phones = order.filter(browser.changed.contains).compactMap { summaries[$0] }
        }
        // A new time alone is no change.
        state.atMs = browser.sentState?.atMs ?? state.atMs
        if state != browser.sentState {
            state.atMs = now()
            update.lab = state
            browser.sentState = state
        }
        if browser.selectedHasChanged, let selected = browser.selected { update.phone = states[selected] }
        browser.isNew = false
        browser.changed = []
        browser.selectedHasChanged = false
        browsers[id] = browser
        return update
    }

    func disconnect(_ id: Int) { browsers.removeValue(forKey: id)?.wakeUps.finish() }

    var browserCount: Int { browsers.count }

    /// Ends all streams and accepts no more.
    func stop() {
        isStopped = true
        for id in Array(browsers.keys) { disconnect(id) }
    }

    private func wake(_ id: Int) { browsers[id]?.wakeUps.yield() }
}
