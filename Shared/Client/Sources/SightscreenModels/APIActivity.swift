/// The body of `POST /matches/:id/activity-token`. The gateway also accepts the token under the key `token`.
public struct ActivityTokenRequest: Codable, Hashable, Sendable {
    public var activityToken: UpdateToken
    public var deviceId: DeviceID?
    public var activityId: ActivityID?
    /// The start's id from the activity's attributes, when a push started the activity.
    public var startId: StartID?

    public init(
        activityToken: UpdateToken, deviceId: DeviceID? = nil, activityId: ActivityID? = nil, startId: StartID? = nil
    ) {
        self.activityToken = activityToken
        self.deviceId = deviceId
        self.activityId = activityId
        self.startId = startId
    }
}

/// The answer to an activity token.
public struct ActivityTokenResponse: Codable, Hashable, Sendable {
    /// `active`, `ended` (an end push is on its way to this very token), or `unavailable` while the registration waits.
    public var liveActivity: LiveActivityOutlook
    public var displayState: ContentState?
    /// The reason why the token is not registered yet (202): it is another user's. Nil when it is registered.
    public var waitsFor: TokenWait?

    public init(liveActivity: LiveActivityOutlook, displayState: ContentState?, waitsFor: TokenWait? = nil) {
        self.liveActivity = liveActivity
        self.displayState = displayState
        self.waitsFor = waitsFor
    }
}

/// The body of `POST /matches/:id/activity`: an activity is subscribed to a broadcast channel. The app reports it when
/// it happens to run; no push waits for the report.
public struct ActivityReport: Codable, Hashable, Sendable {
    public var activityId: ActivityID
    public var channelId: ChannelID
    public var deviceId: DeviceID?
    /// The start's id from the activity's attributes, when a push started the activity.
    public var startId: StartID?

    public init(activityId: ActivityID, channelId: ChannelID, deviceId: DeviceID? = nil, startId: StartID? = nil) {
        self.activityId = activityId
        self.channelId = channelId
        self.deviceId = deviceId
        self.startId = startId
    }
}

/// The answer to `POST /matches/:id/activity`.
public struct ActivityReportResponse: Codable, Hashable, Sendable {
    /// `active`, or `ended` when the app is to end the activity: the match is over or not followed, or the channel is
    /// not the user's any more.
    public var liveActivity: LiveActivityOutlook

    public init(liveActivity: LiveActivityOutlook) { self.liveActivity = liveActivity }
}

/// The body of `POST /matches/:id/activity-dismissed`: the user removed the activity from the phone.
public struct ActivityDismissedRequest: Codable, Hashable, Sendable {
    public var deviceId: DeviceID?
    public var activityId: ActivityID?
    public var activityToken: UpdateToken?

    public init(deviceId: DeviceID? = nil, activityId: ActivityID? = nil, activityToken: UpdateToken? = nil) {
        self.deviceId = deviceId
        self.activityId = activityId
        self.activityToken = activityToken
    }
}
