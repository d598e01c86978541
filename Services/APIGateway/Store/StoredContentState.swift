import FoundationEssentials
import SightscreenModels

/// The content state as `active_matches` and `match_updates` hold it.
enum StoredContentState {
    /// Nil for none, and for one that this program cannot read: a newer program may have written it, and an answer
    /// without a display state is better than no answer.
    static func decode(_ text: String?) -> ContentState? {
        guard let text else { return nil }
        return try? JSONDecoder().decode(ContentState.self, from: Data(text.utf8))
    }
}
