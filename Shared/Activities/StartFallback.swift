/// What is done about a phone that does not answer to starts: its push-to-start token may be stale, and only the app can
/// register another. A silent push asks the app to reconcile, at once where APNs refused the start, else with the second
/// try; when all tries are lost, a notification asks the user to open the app; then nothing more until the app registers.
///
/// A match that begins later gets its tries all the same: the phone may just have been off.
public struct StartFallback: Hashable, Sendable {
    /// How far a phone is.
    public enum Step: String, CaseIterable, Hashable, Sendable {
        case none, silent, visible, passive
    }

    /// From this try on a start is unanswered.
    public static let triesUnanswered = 2
    /// Between two visible pushes to one phone.
    public static let visibleEvery = Duration.seconds(86_400)

    /// How long the app has for registering before the next step (`START_FALLBACK_WAIT`).
    public var wait: Duration

    public init(wait: Duration = .seconds(120)) { self.wait = wait }
}
