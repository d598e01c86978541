/// iOS's limits for an app on one phone. Apple publishes the times and the payload's size; the budgets are observed
/// values.
public struct PhoneLimits: Hashable, Sendable {
    /// Seconds until the system ends an activity.
    public var activityLifetime = 8 * 3_600
    /// The longest time that an ended activity stays on the Lock Screen, in seconds.
    public var lingering = 4 * 3_600
    /// Activities of one app that can run at once.
    public var activitiesMax = 5
    /// The starts by push that a phone has in store. Further ones are dropped without notice, and cost all the same.
    public var starts = 10
    /// The seconds in which all of them come back.
    public var startsSeconds = DeviceBudget.startsSeconds
    /// Updates of priority 10 of one activity in an hour.
    public var immediateUpdatesPerHour = 230
    /// The same number when the user has switched frequent updates off.
    public var infrequentUpdatesPerHour = 15
    /// Silent pushes that wake the app in an hour.
    public var silentPushesPerHour = 3
    /// Seconds for which an app runs after it has left the foreground, without a background task. Observed.
    public var leavingSeconds = 5
    /// Seconds for which an app runs after a silent push, until it answers, or after a start by push. "Your app has up
    /// to 30 seconds": https://developer.apple.com/documentation/uikit/uiapplicationdelegate/application(_:didreceiveremotenotification:fetchcompletionhandler:)
    public var wakeSeconds = 30
    /// Seconds for which background tasks can prolong either time. Observed since iOS 13; Apple gives no number:
    /// https://developer.apple.com/documentation/uikit/extending-your-app-s-background-execution-time
    public var backgroundSeconds = 30
    /// Seconds by which an update's timestamp may be ahead of the phone's clock.
    public var timestampAheadMax = 8 * 3_600
    /// Bytes of a payload, and of attributes and content of a request together.
    public var payloadBytesMax = 4_096
    /// Bytes of a publish on a channel.
    public var broadcastBytesMax = 5_120
    /// The time between a start and the update token, in milliseconds.
    public var tokenDelayMs = 300...5_000
    /// Seconds for which an alert keeps the Dynamic Island expanded.
    public var expandedFor = 5
    /// The most notifications in the list. The newest are kept.
    public var notificationsMax = 20

    public init() {}
}
