import Sightscreen

/// Makes one alert of all that is to be announced at once: the key event is the title, the body names the others and
/// gives the score.
enum AlertComposer {
    static let titleMax = 80
    static let bodyMax = 140

    /// Nil when `events` is empty. `at` is when the newest of them happened, seconds since 1970.
    static func alert(for events: [MatchEvent], state: ContentState, at: Int) -> MatchAlert? {
        let ordered = KeyEventOrder.sorted(events)
        guard let key = ordered.first else { return nil }
        var lines = ordered.dropFirst().prefix(3).map { headline($0) }
        if let score = score(state) { lines.append(score) }
        if key.kind != .matchResult, let equation = state.expanded.equation { lines.append(equation) }
        return MatchAlert(
            title: DisplayText.line(headline(key), limit: titleMax),
            body: DisplayText.line(lines.joined(separator: " · "), limit: bodyMax), kind: key.kind, value: key.value,
            sound: ordered.contains { $0.kind == .wicket },
            isKey: ordered.contains { MatchAlert.isKey($0.kind, value: $0.value) }, eventAt: at)
    }

    /// "WICKET! Rohit Sharma c Kohli b Bumrah 45 (32)".
    static func headline(_ event: MatchEvent) -> String {
        guard let shout = shout(event) else { return event.text }
        return event.text.isEmpty ? shout : "\(shout) \(event.text)"
    }

    /// What goes before the event's own sentence; the other kinds have theirs in it.
    private static func shout(_ event: MatchEvent) -> String? {
        switch event.kind {
        case .wicket: "WICKET!"
        case .milestone:
            switch event.value ?? 50 {
            case 50: "FIFTY!"
            case 100: "HUNDRED!"
            case let runs: "\(runs)!"
            }
        default: nil
        }
    }

    /// "MI 87/6 (12.3)"; nil before play.
    static func score(_ state: ContentState) -> String? {
        guard !state.compactLeading.score.isEmpty else { return nil }
        return "\(state.compactLeading.teamAbbr) \(state.compactLeading.score) (\(state.compactTrailing.overs))"
    }
}
