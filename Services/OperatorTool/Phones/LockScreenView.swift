import Sightscreen

/// Shows in a terminal what the followers' Lock Screens show: every push in a line, and under it, where the terminal can
/// redraw, the card of the first phone.
struct LockScreenView {
    let isTerminal: Bool
    private var cardHeight = 0
    private var card: [String] = []

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// - Parameter progress: how much of the tape was played, 0 to 1.
    mutating func show(_ entries: [PhoneFleet.Entry], progress: Double, write: (String) -> Void) {
        let shown = entries.last { entry in
            if case .dropped = entry.effect { false } else { entry.phone == 0 }
        }
        if isTerminal, let state = shown?.delivery.payload?.aps.contentState {
            card = LockScreenCard(state: state).lines + [Self.bar(progress)]
        }
        above(Self.groups(entries).flatMap { Self.pushLines($0, withState: !isTerminal) }, write)
    }

    /// The match is over: the bar is full.
    mutating func finish(write: (String) -> Void) {
        guard !card.isEmpty else { return }
        card[card.count - 1] = Self.bar(1)
        above([], write)
    }

    mutating func note(_ text: String, write: (String) -> Void) { above([text], write) }

    // MARK: -

    /// Pushes of one kind and version that came together are one line.
    private static func groups(_ entries: [PhoneFleet.Entry]) -> [[PhoneFleet.Entry]] {
        struct Kind: Hashable {
            var event: String
            var version: Int
            var priority: Int
            var isAlerting: Bool
        }
        var order: [Kind] = []
        var byKind: [Kind: [PhoneFleet.Entry]] = [:]
        for entry in entries {
            let aps = entry.delivery.payload?.aps
            let kind = Kind(
                event: aps?.event ?? entry.delivery.headers["apns-push-type"] ?? "push",
                version: aps?.contentState?.version ?? 0, priority: entry.delivery.priority ?? 0,
                isAlerting: aps?.alert != nil)
            if byKind[kind] == nil { order.append(kind) }
            byKind[kind, default: []].append(entry)
        }
        return order.compactMap { byKind[$0] }
    }

    private static func pushLines(_ group: [PhoneFleet.Entry], withState: Bool) -> [String] {
        guard let first = group.first, let aps = first.delivery.payload?.aps else { return [] }
        let phones = Set(group.map(\.phone)).count
        var line = "\(pad(aps.event ?? "push", 6)) \(pad("#\(aps.contentState?.version ?? 0)", 4))"
        line += "  \(pad("P\(first.delivery.priority ?? 0)", 3))  to \(phones) \(phones == 1 ? "phone" : "phones")"
        if let state = aps.contentState {
            let card = LockScreenCard(state: state)
            line += "  \(withState ? card.summary : card.score)"
        }
        var lines = [line]
        if let alert = aps.alert {
            let sound = alert.sound ?? aps.sound
            lines.append("       \(sound == nil ? "🔔" : "🔔♪") \(alert.title): \(alert.body)")
        }
        let reasons = group.compactMap { entry in if case .dropped(let why) = entry.effect { why } else { nil } }
        for (why, equal) in Dictionary(grouping: reasons, by: \.self).sorted(by: { $0.key < $1.key }) {
            lines.append("       \(equal.count) of them \(equal.count == 1 ? "drops" : "drop") it: \(why)")
        }
        return lines
    }

    private static func bar(_ progress: Double) -> String {
        let width = 40
        let done = Int((progress * Double(width)).rounded(.down))
        return "  [" + String(repeating: "█", count: min(done, width))
            + String(repeating: "·", count: max(width - done, 0))
            + "] \(Int(progress * 100)) % of the match"
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
