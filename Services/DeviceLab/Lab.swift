import SightscreenModels

/// What the page shows, as one state of now, and who looks at it.
///
/// Nothing is queued for a browser: it is told that there is news, and takes what is newest when it can.
actor Lab {
    /// More windows than one demonstration has.
    static let browsersMax = 16

    /// What a browser has not been told yet.
    struct News: Sendable {
        /// Set when this is the first.
        var hello: Int?
        var lab: LabState?
        /// Phones in short: all of them, or those that have changed.
        var phones: [LabPhoneSummary] = []
        var isWhole = false
        /// The phone that it watches.
        var phone: LabPhoneState?
    }

    struct Ticket: Sendable {
        var id: Int
        /// Yields when there is news; ends when the lab does.
        var bell: AsyncStream<Void>
    }

    private struct Browser {
        var isNew = true
        var watched: String?
        var watchedHasChanged = true
        var changed: Set<String> = []
        var toldState: LabState?
        var bell: AsyncStream<Void>.Continuation
    }

    private let order: [String]
    private let phones: [String: any LabPhone]
    private let now: @Sendable () -> Int64
    private var states: [String: LabPhoneState] = [:]
    private var summaries: [String: LabPhoneSummary] = [:]
    private var positions: [(match: MatchID, title: String, tape: LabTapePosition)] = []
    private var contents: [MatchID: ContentState] = [:]
    private var stages: [LabStage] = []
    private var faults = LabState.Faults()
    private var latency = BallLatency()
    private var browsers: [Int: Browser] = [:]
    private var nextBrowser = 1
    private var isStopped = false
    private var end = MatchEnd()

    /// - Parameter now: milliseconds since 1970.
    init(phones: [any LabPhone], now: @escaping @Sendable () -> Int64) {
        order = phones.map(\.id)
        self.phones = Dictionary(phones.map { ($0.id, $0) }) { first, _ in first }
        self.now = now
    }

    func phone(_ id: String) -> (any LabPhone)? { phones[id] }

    var allPhones: [any LabPhone] { order.compactMap { phones[$0] } }

    /// The match that an action means when it names none: the last that plays, else the last.
    var currentMatch: MatchID? { (positions.last { $0.tape.isPlaying } ?? positions.last)?.match }

    // MARK: - What happens

    func take(_ state: LabPhoneState) {
        let before = states.updateValue(state, forKey: state.id)
        guard before != state else { return }
        latency.take(state, before: before)
        for activity in state.activities { learn(activity.content, of: activity.matchId) }
        let summary = LabPhoneSummary(state)
        let isNews = summaries.updateValue(summary, forKey: state.id) != summary
        for id in browsers.keys {
            if isNews { browsers[id]?.changed.insert(state.id) }
            let isWatched = browsers[id]?.watched == state.id
            if isWatched { browsers[id]?.watchedHasChanged = true }
            if isNews || isWatched { ring(id) }
        }
    }

    /// Where the tapes stand.
    ///
    /// - Parameter shownAtMs: by match, when its newest frame came.
    func take(_ new: [(match: MatchID, title: String, tape: LabTapePosition)], shownAtMs: [MatchID: Int64]) {
        for entry in new {
            let before = positions.first { $0.match == entry.match }?.tape
            if before?.cursor != entry.tape.cursor {
                latency.show(entry.tape.label, of: entry.match, atMs: shownAtMs[entry.match] ?? now())
            }
        }
        guard positions.map(\.tape) != new.map(\.tape) || positions.map(\.match) != new.map(\.match) else { return }
        positions = new
        ringAll()
    }

    /// The newest display state of a match, from whoever has it.
    func learn(_ content: ContentState, of match: MatchID) {
        guard content.version > contents[match]?.version ?? -1 else { return }
        contents[match] = content
        ringAll()
    }

    func take(_ new: [LabStage]) {
        guard stages != new else { return }
        stages = new
        ringAll()
    }

    func take(_ new: LabState.Faults) {
        guard faults != new else { return }
        faults = new
        ringAll()
    }

    /// So that a browser hears something now and then, and one that has gone is noticed.
    func ringAll() {
        for id in browsers.keys { ring(id) }
    }

    // MARK: - What there is

    var state: LabState {
        let matches = positions.map { entry in
            LabMatch(
                id: entry.match, title: entry.title, tape: entry.tape, version: contents[entry.match]?.version ?? 0,
                content: contents[entry.match])
        }
        return LabState(
            atMs: now(), matches: matches, stages: stages, latency: latency.summary, phones: counts, faults: faults)
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

    /// - Returns: nil when there are too many, or the lab ends.
    func connect(watching phone: String?) -> Ticket? {
        guard !isStopped, browsers.count < Self.browsersMax else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = nextBrowser
        nextBrowser += 1
        browsers[id] = Browser(watched: phone ?? order.first, bell: continuation)
        // Also when nobody ever listens: a browser that went away before its answer began.
        continuation.onTermination = { [weak self] _ in Task { await self?.disconnect(id) } }
        continuation.yield()
        return Ticket(id: id, bell: stream)
    }

    /// False when there is no such browser or phone.
    func watch(_ phone: String, by browser: Int) -> Bool {
        guard browsers[browser] != nil, phones[phone] != nil else { return false }
        browsers[browser]?.watched = phone
        browsers[browser]?.watchedHasChanged = true
        ring(browser)
        return true
    }

    /// What is new for a browser; nil when it is not known any more.
    func news(for id: Int) -> News? {
        guard var browser = browsers[id] else { return nil }
        var news = News()
        var state = state
        if browser.isNew {
            news.hello = id
            news.isWhole = true
            news.phones = phonesInShort
        } else {
            news.phones = order.filter(browser.changed.contains).compactMap { summaries[$0] }
        }
        // The clock alone is no news.
        state.atMs = browser.toldState?.atMs ?? state.atMs
        if state != browser.toldState {
            state.atMs = now()
            news.lab = state
            browser.toldState = state
        }
        if browser.watchedHasChanged, let watched = browser.watched { news.phone = states[watched] }
        browser.isNew = false
        browser.changed = []
        browser.watchedHasChanged = false
        browsers[id] = browser
        return news
    }

    func disconnect(_ id: Int) { browsers.removeValue(forKey: id)?.bell.finish() }

    var browserCount: Int { browsers.count }

    /// Ends all streams and takes no more.
    func stop() {
        isStopped = true
        for id in Array(browsers.keys) { disconnect(id) }
    }

    private func ring(_ id: Int) { browsers[id]?.bell.yield() }
}
