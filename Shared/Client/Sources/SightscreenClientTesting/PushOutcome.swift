public import SightscreenClient
public import SightscreenModels

/// What a phone made of a push.
public enum PushOutcome: Hashable, Sendable {
    case started(ActivityID)
    /// `alerted`: the phone buzzed and the Dynamic Island opened.
    case updated(ActivityID, alerted: Bool)
    case ended(ActivityID)
    /// The app runs for a few seconds.
    case wakesApp(AppPush)
    /// A notification is shown; what the app gets when it is tapped.
    case notifies(AppPush?)
    /// The phone is away: APNs keeps it, in place of what it kept before.
    case kept
    case dropped(PushDrop)
}

/// Why nothing happens. A real phone says nothing of the kind to anybody.
public enum PushDrop: String, Hashable, Sendable, CaseIterable {
    /// No token of this phone, or none any more. APNs answers 410 to most of these.
    case unknownToken
    /// The phone is away and the push was not to be kept.
    case offline
    /// `apns-expiration` has passed.
    case expired
    /// Over 4 KB; APNs answers 413.
    case tooLarge
    /// Not `liveactivity` to a Live Activity's token, or the other way round.
    case wrongPushType
    /// A start to an update token, or an update or end to a push-to-start token.
    case wrongEvent
    /// `timestamp`, `event` or `content-state` is missing, or does not decode with the app's types.
    case notDecodable
    /// A start that names another type than the app's.
    case wrongAttributesType
    /// A start without title and body.
    case missingAlert
    /// Live Activities are switched off for the app.
    case notPermitted
    /// More starts than a phone takes in a short time.
    case startBudgetExceeded
    /// The app shows as many activities as it may.
    case tooManyActivities
    /// More updates of priority 10 than an activity takes in an hour.
    case updateBudgetExceeded
    /// Not later than what is shown.
    case oldTimestamp
    /// Over 8 h ahead of the phone's clock.
    case farTimestamp
    /// The activity is over.
    case alreadyEnded
    /// iOS does not wake the app for it, or the user has force-quit the app.
    case notWoken
}
