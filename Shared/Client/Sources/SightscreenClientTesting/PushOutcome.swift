public import SightscreenClient
public import SightscreenModels

/// The effect of a push on a phone.
public enum PushOutcome: Hashable, Sendable {
    case started(ActivityID)
    /// The activity was updated. `alerted` says whether the phone alerted the user and the Dynamic Island opened.
    case updated(ActivityID, alerted: Bool)
    case ended(ActivityID)
    /// The push wakes the app for a few seconds.
    case wakesApp(AppPush)
    /// A notification is shown. The value is the push that the app receives when the user taps it.
    case notifies(AppPush?)
    /// The phone is offline. APNs keeps the push, in place of the one it kept before.
    case kept
    case dropped(PushDrop)
}

/// The reason why a push has no effect. A real phone reports none of these.
public enum PushDrop: String, Hashable, Sendable, CaseIterable {
    /// The token is not one of this phone, or no longer. APNs answers 410 to most of these.
    case unknownToken
    /// The phone is offline, and the push was not to be kept.
    case offline
    /// `apns-expiration` has passed.
    case expired
    /// The payload is over 4 KB. APNs answers 413.
    case tooLarge
    /// The push type is not `liveactivity` for a Live Activity's token, or it is for another token.
    case wrongPushType
    /// The push is a start to an update token, or an update or end to a push-to-start token.
    case wrongEvent
    /// `timestamp`, `event` or `content-state` is missing, or does not decode with the app's types.
    case notDecodable
    /// The start names another type than the app's.
    case wrongAttributesType
    /// The start names a broadcast channel, which this iOS does not have.
    case noChannels
    /// The publish was lost on its way.
    case missed
    /// The start has no title or no body.
    case missingAlert
    /// Live Activities are switched off for the app.
    case notPermitted
    /// There were more starts than a phone accepts in a short time.
    case startBudgetExceeded
    /// The app shows the most activities that it may.
    case tooManyActivities
    /// There were more updates of priority 10 than an activity accepts in an hour.
    case updateBudgetExceeded
    /// The timestamp is not later than that of the shown content.
    case oldTimestamp
    /// The timestamp is over 8 h ahead of the phone's clock.
    case farTimestamp
    /// The activity is over.
    case alreadyEnded
    /// iOS does not wake the app for the push, or the user has force-quit the app.
    case notWoken
}
