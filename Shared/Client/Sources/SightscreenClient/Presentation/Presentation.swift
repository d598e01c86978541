/// Where a Live Activity is shown. An app has to have all of them but `standBy`, which is the Lock Screen's, twice as
/// large.
public enum Presentation: String, Codable, Hashable, Sendable, CaseIterable {
    case compactLeading, compactTrailing, minimal, expanded, lockScreen, standBy
    /// Apple Watch and CarPlay.
    case small
}
