import Sightscreen

/// Shows in a terminal what the followers' Lock Screens show: every push in a line, and under it, where the terminal can
/// redraw, the card of the first phone.
struct LockScreenView {
    let isTerminal: Bool
    private var cardHeight = 0

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// - Parameter progress: how much of the tape was played, 0 to 1.
    mutating func show(_ entries: [PhoneFleet.Entry], progress: Double, write: (String) -> Void) {
        for group in Self.groups(entries) { above(Self.pushLines(group, withState: !isTerminal), write) }
        guard isTerminal, let state = entries.last(where: { $0.phone == 0 })?.delivery.payload?.aps.contentState else {
            return
        }
        redraw(LockScreenCard(state: state).lines + [Self.bar(progress, state)], write)
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
        var line = "\(pad(aps.event ?? "push", 6)) #\(aps.contentState?.version ?? 0)"
        line += "  P\(first.delivery.priority ?? 0)  to \(phones) \(phones == 1 ? "phone" : "phones")"
        if withState, let state = aps.contentState { line += "  \(LockScreenCard(state: state).summary)" }
        var lines = [line]
        if let alert = aps.alert {
            let sound = alert.sound ?? aps.sound
            lines.append("       \(sound == nil ? "🔔" : "🔔♪") \(alert.title): \(alert.body)")
        }
        for entry in group {
            if case .dropped(let why) = entry.effect {
                lines.append("       phone \(entry.phone + 1) drops it: \(why)")
            }
        }
        return lines
    }

    private static func bar(_ progress: Double, _ state: ContentState) -> String {
        let width = 40
        let done = Int((progress * Double(width)).rounded(.down))
        return "  [" + String(repeating: "█", count: min(done, width))
            + String(repeating: "·", count: max(width - done, 0))
            + "] \(Int(progress * 100)) % of the match"
    }

    private mutating func above(_ lines: [String], _ write: (String) -> Void) {
        eraseCard(write)
        lines.forEach { write($0 + "\n") }
    }

    private mutating func redraw(_ lines: [String], _ write: (String) -> Void) {
        eraseCard(write)
        lines.forEach { write($0 + "\n") }
        cardHeight = lines.count
    }

    private mutating func eraseCard(_ write: (String) -> Void) {
        guard cardHeight > 0 else { return }
        // Up to the card's first line, and everything below it away.
        write("\u{1B}[\(cardHeight)A\u{1B}[J")
        cardHeight = 0
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
