public import SightscreenModels

/// ActivityKit, for one type of activity. The Apple adapter hands everything to the framework; `SightscreenClientTesting` has a
/// phone that obeys the same rules.
///
/// Every stream belongs to whoever asks for it and ends with its task. One that tells a value that is there already (a
/// token, a state, what is shown, a switch) begins with it, so nothing is missed between looking and listening; a slow
/// reader gets the newest value, not all of them.
public protocol ActivityKitPort: Sendable {
    // MARK: Activities

    /// `Activity.request(attributes:content:pushType: .token)`. Only while the app is in the foreground.
    func request(
        _ attributes: LiveActivityAttributes, _ content: ShownContent
    ) async throws(ActivityRequestError) -> PhoneActivity

    /// `Activity.end(_:dismissalPolicy:)`: the app's own end, with the content as it is. One that is over already leaves
    /// the screen; an unknown one is left alone.
    func end(_ id: ActivityID, _ dismissal: EndDismissal) async

    /// `Activity.activities`: all that are on the phone, those included that have ended and are still shown.
    func activities() async -> [PhoneActivity]

    /// `Activity.activityUpdates`: an activity that appears, by push or by request. It may repeat one that is known.
    func activityUpdates() async -> AsyncStream<PhoneActivity>

    // MARK: Tokens

    /// `Activity.pushToStartTokenUpdates`. The system repeats a token after a start by push.
    func pushToStartTokenUpdates() async -> AsyncStream<PushToStartToken>

    /// `activity.pushTokenUpdates`. There is none at first, and it may change.
    func pushTokenUpdates(of id: ActivityID) async -> AsyncStream<UpdateToken>

    // MARK: What happens to an activity

    /// `activity.contentUpdates`.
    func contentUpdates(of id: ActivityID) async -> AsyncStream<ShownContent>

    /// `activity.activityStateUpdates`; ends after `dismissed`.
    func activityStateUpdates(of id: ActivityID) async -> AsyncStream<PhoneActivityState>

    // MARK: The user's switches (`ActivityAuthorizationInfo`)

    /// Whether the user lets the app show Live Activities.
    func areActivitiesEnabled() async -> Bool

    /// `areActivitiesEnabled`, now and after each change.
    func activityEnablementUpdates() async -> AsyncStream<Bool>

    /// Whether the user lets the backend update them often.
    func frequentPushesEnabled() async -> Bool

    /// `frequentPushesEnabled`, now and after each change.
    func frequentPushEnablementUpdates() async -> AsyncStream<Bool>
}
