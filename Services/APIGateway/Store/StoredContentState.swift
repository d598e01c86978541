import FoundationEssentials
import SightscreenModels

/// Decodes content states as `active_matches` and `match_updates` store them.
enum StoredContentState {
    /// Returns nil for no text, and for a state that this version cannot read: a newer version may have written it, and
    /// an answer without a display state is better than none.
    static func decode(_ text: String?) -> ContentState? {
        guard let text else { return nil }
        return try? JSONDecoder().decode(ContentState.self, from: Data(text.utf8))
    }
}
