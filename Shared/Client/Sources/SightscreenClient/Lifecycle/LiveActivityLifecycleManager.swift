public import SightscreenModels

/// The activities themselves: made, adopted, observed, ended.
///
/// It knows nothing of follows or tokens. What happens to an activity goes to the handler.
public protocol LiveActivityLifecycleManager: Sendable {
    /// Takes charge of all activities that are on the phone (a cold start), ends those that are stale, and from then on
    /// adopts what the system starts.
    ///
    /// - Parameter handler: gets each event, and is waited for.
    func start(_ handler: @escaping @Sendable (LifecycleEvent) async -> Void) async

    /// `Activity.request()` with push type token: the user follows a match that is in play.
    func create(
        _ attributes: LiveActivityAttributes, _ content: ShownContent
    ) async throws(ActivityRequestError) -> PhoneActivity

    /// Ends the match's activities at once. That is the app's doing, not a dismissal.
    func end(_ match: MatchID) async

    /// Ends one activity at once.
    func end(_ activity: ActivityID) async

    /// Ends all activities at once: another user.
    func endAll() async

    /// Ends what has shown nothing new for half an hour.
    func endStaleActivities() async

    /// The app is in front: looks for stale activities now and every minute.
    func enterForeground() async

    /// The app is not in front any more: nobody looks every minute.
    func enterBackground() async

    /// All that are on the phone, in order of appearance.
    func activities() async -> [PhoneActivity]

    /// Whether the user lets the app show any, and update them often.
    func permission() async -> ActivityPermission

    /// Nothing is observed any more. The activities stay.
    func stop() async
}

/// What the user allows.
public struct ActivityPermission: Hashable, Sendable {
    public var showsActivities: Bool
    public var allowsFrequentPushes: Bool

    public init(showsActivities: Bool, allowsFrequentPushes: Bool) {
        self.showsActivities = showsActivities
        self.allowsFrequentPushes = allowsFrequentPushes
    }
}

/// What happened to an activity, or to what the user allows.
public enum LifecycleEvent: Hashable, Sendable {
    /// Was there when the app started.
    case restored(PhoneActivity)
    /// The app asked for it.
    case created(PhoneActivity)
    /// A push started it.
    case adopted(PhoneActivity)
    /// It shows something else, or that it is out of date.
    case changed(PhoneActivity)
    /// It is over; it may still be on the screen.
    case ended(PhoneActivity, EndCause)
    /// It has left the screen.
    case gone(PhoneActivity)
    case permissionChanged(ActivityPermission)
}

/// Why an activity is over.
public enum EndCause: Hashable, Sendable {
    /// The app ended it: an unfollow, another user, a token that nobody wants.
    case app
    /// The app ended it because nothing new came for half an hour.
    case stale
    /// The user removed it from the screen.
    case user
    /// A push, or the system: after 8 h, for want of room, because the user switched activities off. `age` in seconds.
    case outside(age: Int)
}
