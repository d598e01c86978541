public import SightscreenModels

/// Creates, adopts, observes and ends activities.
///
/// It does not know follows or tokens. It reports each event to the handler.
public protocol LiveActivityLifecycleManager: Sendable {
    /// Restores the activities on the phone (after a cold start), ends the stale ones, and from then on adopts the
    /// activities that the system starts.
    ///
    /// - Parameter handler: receives each event; the manager waits for it.
    func start(_ handler: @escaping @Sendable (LifecycleEvent) async -> Void) async

    /// Creates an activity with `Activity.request()`, when the user follows a match in play, or one that appears later.
    /// It listens to the channel of its attributes; without one, it gets an update token.
    ///
    /// An activity in play whose channel the system refuses gets an update token, too.
    ///
    /// - Parameter schedule: the moment at which it appears; nil for now.
    @discardableResult
    func create(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, schedule: ActivitySchedule?
    ) async throws(ActivityRequestError) -> PhoneActivity

    /// Ends the match's activities at once. The app ends them, so this is no dismissal.
    func end(_ match: MatchID) async

    /// Ends one activity at once.
    func end(_ activity: ActivityID) async

    /// Ends all activities at once, because another user signs in.
    func endAll() async

    /// Ends the activities without new content for half an hour.
    func endStaleActivities() async

    /// Compares the activities with the system's list, which may lag: observes those that it did not have before, and
    /// looks again a little later at those that it lacks. One that it lacks both times is absent.
    func lookAtList() async

    /// Looks at the system's list, and checks for stale activities now and every minute, while a scene of the app is in
    /// the foreground. Before `start` it only notes the scene.
    func enterForeground(_ scene: AppScene) async
    /// Stops the check of every minute when no scene is in the foreground.
    func enterBackground(_ scene: AppScene) async

    /// The activities on the phone, in order of appearance.
    func activities() async -> [PhoneActivity]

    /// Whether the user allows the app to show activities and to update them often.
    func permission() async -> ActivityPermission

    /// Stops observing. The activities stay.
    func stop() async
}
/// The user's permissions for Live Activities.
public struct ActivityPermission: Hashable, Sendable {
    public var showsActivities: Bool
    public var allowsFrequentPushes: Bool

    public init(showsActivities: Bool, allowsFrequentPushes: Bool) {
        self.showsActivities = showsActivities
        self.allowsFrequentPushes = allowsFrequentPushes
    }
}

/// An event of an activity, or a change of the user's permissions.
public enum LifecycleEvent: Hashable, Sendable {
    /// The activity existed when the app started.
    case restored(PhoneActivity)
    /// The app created the activity, or an activity that it had scheduled has appeared.
    case created(PhoneActivity)
    /// A push started the activity.
    case adopted(PhoneActivity)
    /// The activity has new content, or is now out of date.
    case changed(PhoneActivity)
    /// The activity is over. It may still be on screen.
    case ended(PhoneActivity, EndCause)
    /// The activity has left the screen.
    case gone(PhoneActivity)
    /// The system lists the activity no more, and has not said why. This is no dismissal.
    case absent(PhoneActivity)
    /// A scheduled activity will not appear.
    case cancelled(PhoneActivity)
    case permissionChanged(ActivityPermission)
}

/// The cause of an activity's end.
public enum EndCause: Hashable, Sendable {
    /// The app ended it: after an unfollow, for another user, or because the backend refused its token.
    case app
    /// The app ended it, because no new content came for half an hour.
    case stale
    /// The user removed it from the screen.
    case user
    /// A push or the system ended it: after 8 h, for lack of room, or because the user switched activities off. `age`
    /// is in seconds.
    case outside(age: Int)
}
