public import SightscreenModels

/// ActivityKit, for one type of activity. The Apple adapter passes every call to the framework.
/// `SightscreenClientTesting` has a phone with the same rules.
///
/// Every stream belongs to its caller and ends with the caller's task. A stream of a value that exists already (a
/// token, a state, content, a switch) begins with that value, so nothing is missed between looking and listening. A
/// slow reader gets the newest value, not all of them.
public protocol ActivityKitPort: Sendable {
    // MARK: Activities

    /// Calls `Activity.request(attributes:content:pushType:)`. It works only while the app is in the foreground.
    ///
    /// ActivityKit does not say later what the activity listens to, so the attributes must say it, too.
    ///
    /// - Parameter schedule: the moment at which the activity appears (iOS 26); nil for now.
    func request(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, pushType: ActivityPushType,
        schedule: ActivitySchedule?
    ) async throws(ActivityRequestError) -> PhoneActivity

    /// Calls `Activity.end(_:dismissalPolicy:)`, with the content as it is. An activity that is over already leaves the
    /// screen; an unknown one is ignored.
    func end(_ id: ActivityID, _ dismissal: EndDismissal) async

    /// Returns `Activity.activities`: all on the phone, including those that have ended and are still shown. The list
    /// may lack one for a moment, so a missing activity is not a dismissed one.
    func activities() async -> [PhoneActivity]

    /// Returns one activity as it says itself to be, also while the list lacks it; nil for one that this process was
    /// never given by `request`, `activities` or `activityUpdates`. The other functions know the same activities.
    func activity(_ id: ActivityID) async -> PhoneActivity?

    /// Returns `Activity.activityUpdates`: each activity that appears, by push or by request. It may repeat a known
    /// one.
    func activityUpdates() async -> AsyncStream<PhoneActivity>

    // MARK: Tokens

    // A stream may stay silent about a token that its property has, and a property may have none or an older one.

    /// Returns `Activity.pushToStartToken`; nil while there is none.
    func pushToStartToken() async -> PushToStartToken?

    /// Returns `Activity.pushToStartTokenUpdates`. The system repeats a token after a start by push.
    func pushToStartTokenUpdates() async -> AsyncStream<PushToStartToken>

    /// Returns `activity.pushToken`; nil while there is none.
    func pushToken(of id: ActivityID) async -> UpdateToken?

    /// Returns `activity.pushTokenUpdates`. There is no token at first, and it may change.
    func pushTokenUpdates(of id: ActivityID) async -> AsyncStream<UpdateToken>

    // MARK: Changes of an activity

    /// Returns `activity.contentUpdates`.
    func contentUpdates(of id: ActivityID) async -> AsyncStream<ShownContent>

    /// Returns `activity.activityStateUpdates`, which ends after `dismissed`. The stream of an unknown activity says
    /// nothing.
    func activityStateUpdates(of id: ActivityID) async -> AsyncStream<PhoneActivityState>

    // MARK: The user's switches (`ActivityAuthorizationInfo`)

    /// Whether the user allows the app to show Live Activities.
    func areActivitiesEnabled() async -> Bool

    /// Returns a stream of `areActivitiesEnabled`, now and after each change.
    func activityEnablementUpdates() async -> AsyncStream<Bool>

    /// Whether the user allows frequent updates.
    func frequentPushesEnabled() async -> Bool

    /// Returns a stream of `frequentPushesEnabled`, now and after each change.
    func frequentPushEnablementUpdates() async -> AsyncStream<Bool>
}
