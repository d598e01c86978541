import SightscreenModels

/// A cache of the content states decoded last, so that each match's newest one is decoded once and not for each
/// request.
actor ContentStateCache {
    /// The bound is above the number of matches that are ever in play at a time.
    static let matchesMax = 64

    private var states: [MatchID: (text: String, state: ContentState?)] = [:]

    /// - Parameter texts: the content states as `active_matches` stores them.
    func decode(_ texts: [MatchID: String]) -> [MatchID: ContentState] {
        texts.reduce(into: [:]) { decoded, item in decoded[item.key] = decode(item.key, item.value) }
    }

    private func decode(_ match: MatchID, _ text: String) -> ContentState? {
        if let known = states[match], known.text == text { return known.state }
        if states.count >= Self.matchesMax { states = [:] }
        let state = StoredContentState.decode(text)
        states[match] = (text, state)
        return state
    }
}
