import FoundationEssentials
package import SightscreenModels

/// A match's content state, decoded, and encoded as the API shows it: in a stampede everybody gets the same.
package final class ShownState: Sendable {
    package let state: ContentState
    /// With its keys in order.
    package let json: [UInt8]

    /// Nil for none, and for one that cannot be read.
    init?(_ text: String?) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let state = StoredContentState.decode(text), let json = try? encoder.encode(state) else { return nil }
        self.state = state
        self.json = [UInt8](json)
    }
}

/// The content states that were decoded last: each match's newest one once, not for each request.
actor ContentStateCache {
    /// More matches than are ever in play at a time.
    static let matchesMax = 64

    private var states: [MatchID: (text: String, shown: ShownState?)] = [:]

    /// - Parameter texts: as `active_matches` holds them.
    func decode(_ texts: [MatchID: String]) -> [MatchID: ShownState] {
        texts.reduce(into: [:]) { decoded, item in decoded[item.key] = decode(item.key, item.value) }
    }

    private func decode(_ match: MatchID, _ text: String) -> ShownState? {
        if let known = states[match], known.text == text { return known.shown }
        if states.count >= Self.matchesMax { states = [:] }
        let shown = ShownState(text)
        states[match] = (text, shown)
        return shown
    }
}
