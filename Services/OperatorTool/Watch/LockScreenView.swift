import LabAPI
import SightscreenModels

/// Shows in a terminal what a phone's Lock Screen shows: every version and alert in a line, and under it, where the terminal
/// can redraw, the card.
struct LockScreenView {
    let isTerminal: Bool
    private var cardHeight = 0
    private var card: [String] = []
    private var match: MatchID?
    private var version = 0
    private var alert = 0
    private var hasPlayed = false
    /// When every tape was at its end first.
    private var lastFrameSeen: ContinuousClock.Instant?

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// - Returns: whether there was news.
    mutating func show(_ phone: LabPhoneState, in lab: LabState, write: (String) -> Void) -> Bool {
        var lines: [String] = []
        if let activity = phone.activities.first(where: { $0.id == phone.island.primary }) ?? phone.activities.last {
            let isNews = activity.matchId != match || activity.content.version != version
            let progress = lab.matches.first { $0.id == activity.matchId }?.tape
            if isTerminal {
                card = LockScreenCard(state: activity.content).lines + [Self.bar(progress), Self.counts(lab)]
            }
            if isNews {
                let shown = LockScreenCard(state: activity.content)
                lines.append(
                    "\(Self.pad("#\(activity.content.version)", 5)) \(isTerminal ? shown.score : shown.summary)")
            }
            match = activity.matchId
            version = activity.content.version
        }
        if let alert = phone.alert, alert.id > self.alert {
            lines.append("      \(alert.hasSound ? "🔔♪" : "🔔") \(alert.title): \(alert.body)")
            self.alert = alert.id
        }
        if lab.phones.showing > 0 { hasPlayed = true }
        guard isTerminal || !lines.isEmpty else { return false }
        above(lines, write)
        return !lines.isEmpty
    }

    /// The tapes have come to their end, and no activity goes on, or some have gone on too long since.
    mutating func isOver(_ lab: LabState, now: ContinuousClock.Instant = .now) -> Bool {
        guard hasPlayed, !lab.matches.isEmpty, lab.matches.allSatisfy(\.tape.isLast) else {
            lastFrameSeen = nil
            return false
        }
        let since = lastFrameSeen ?? now
        lastFrameSeen = since
        return lab.phones.showing == 0 || now - since > Self.patience(lab)
    }

    /// How long after its last frame an activity may go on: up to half an hour of a match, in which the backend waits for a
    /// super over and holds the result.
    private static func patience(_ lab: LabState) -> Duration {
        .seconds(max(60, 1_800 / (lab.matches.map(\.tape.speed).min() ?? 1)))
    }

    /// The match is over: nothing is drawn anew.
    mutating func finish(write: (String) -> Void) {
        above([], write)
        cardHeight = 0
        card = []
    }

    mutating func note(_ text: String, write: (String) -> Void) { above([text], write) }

    // MARK: -

    private static func counts(_ lab: LabState) -> String {
        let phones = lab.phones
        let median = lab.latency.p50Ms.map { " · a ball takes \(tenths($0)) s to a Lock Screen" } ?? ""
        return "  \(phones.showing) of \(phones.all) iPhones show it\(median)"
    }

    static func tenths(_ ms: Int) -> String { "\((ms + 50) / 1_000).\((ms + 50) / 100 % 10)" }

    private static func bar(_ tape: LabTapePosition?) -> String {
        let width = 40
        let progress = tape.map { Double($0.cursor) / Double(max($0.frames, 1)) } ?? 0
        let done = Int((progress * Double(width)).rounded(.down))
        return "  [" + String(repeating: "█", count: min(done, width))
            + String(repeating: "·", count: max(width - done, 0)) + "] \(Int(progress * 100)) % of the match"
    }

    private mutating func above(_ lines: [String], _ write: (String) -> Void) {
        // Up to the card's first line, everything below it away, and all in one write, so that nothing flickers.
        let erasing = cardHeight > 0 ? "\u{1B}[\(cardHeight)A\u{1B}[J" : ""
        write(erasing + (lines + card).map { $0 + "\n" }.joined())
        cardHeight = card.count
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
