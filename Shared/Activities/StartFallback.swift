/// The steps for a phone that does not answer to starts: its push-to-start token may be stale, and only the app can
/// register another. A silent push asks the app to reconcile, at once where APNs refused the start for good or called
/// the token dead, otherwise with the second try. When that stays unanswered, too, a notification asks the user to open
/// the app, and a third try goes out beside it. After that nothing is sent until the app registers.
///
/// A match that begins later gets its tries all the same, because the phone may just have been off.
public struct StartFallback: Hashable, Sendable {
    /// The last step taken for a phone.
    public enum Step: String, CaseIterable, Hashable, Sendable {
        case none, silent, visible, passive
    }

    /// The number of tries from which a start counts as unanswered; when the lease of this one is over, as lost.
    public static let triesUnanswered = 2
    /// The least time between two visible pushes to one phone.
    public static let visibleInterval = Duration.seconds(86_400)

    /// How long the app has for registering before the next step (`START_FALLBACK_WAIT`).
    public var wait: Duration

    package init(wait: Duration = .seconds(120)) { self.wait = wait }
}
