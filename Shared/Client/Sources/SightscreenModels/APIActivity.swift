/// `POST /matches/:id/activity-token`. The token may also be called `token`.
public struct ActivityTokenRequest: Codable, Hashable, Sendable {
    public var activityToken: UpdateToken
    public var deviceId: DeviceID?
    public var activityId: ActivityID?
    /// From the activity's attributes, when a push started it.
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
    /// `active`; or `ended`: an end push is on its way to this very token; or `unavailable` while it waits.
    public var liveActivity: LiveActivityOutlook
    public var displayState: ContentState?
    /// The token is another user's: it is not registered yet (202).
    public var waitsFor: TokenWait?

    public init(liveActivity: LiveActivityOutlook, displayState: ContentState?, waitsFor: TokenWait? = nil) {
        self.liveActivity = liveActivity
        self.displayState = displayState
        self.waitsFor = waitsFor
    }
}

/// `POST /matches/:id/activity-dismissed`: the user removed the activity from the phone.
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
