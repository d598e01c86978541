/// The presentations of a Live Activity. An app must have all except `standBy`, which is the Lock Screen's
/// presentation, twice as large.
public enum Presentation: String, Codable, Hashable, Sendable, CaseIterable {
    case compactLeading, compactTrailing, minimal, expanded, lockScreen, standBy
    /// Apple Watch and CarPlay.
    case small
}
