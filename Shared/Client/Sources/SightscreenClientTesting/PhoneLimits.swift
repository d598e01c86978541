/// What iOS allows an app on one phone. Apple publishes the times and the payload's size; the budgets are what was seen.
public struct PhoneLimits: Hashable, Sendable {
    /// Seconds until the system ends an activity.
    public var activityLifetime = 8 * 3_600
    /// Seconds for which an activity that is over stays on the Lock Screen at most.
    public var lingering = 4 * 3_600
    /// Activities of one app that can run at once.
    public var activitiesMax = 5
    /// Starts by push in an hour; what comes beyond is dropped in silence.
    public var startsPerHour = 10
    /// Updates of priority 10 of one activity in an hour.
    public var immediateUpdatesPerHour = 230
    /// The same where the user has switched frequent updates off.
    public var infrequentUpdatesPerHour = 15
    /// Silent pushes that wake the app in an hour.
    public var silentPushesPerHour = 3
    /// Seconds by which an update's timestamp may be ahead of the phone's clock.
    public var timestampAheadMax = 8 * 3_600
    /// Bytes of a payload, and of attributes and content of a request together.
    public var payloadBytesMax = 4_096
    /// Between a start and the update token, in milliseconds.
    public var tokenDelayMs = 300...5_000
    /// Seconds for which an alert keeps the Dynamic Island expanded.
    public var expandedFor = 5
    /// Notifications that are kept in the list, the newest ones.
    public var notificationsMax = 20

    public init() {}
}
