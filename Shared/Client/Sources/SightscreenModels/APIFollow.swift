/// The body of `POST /user/follow/match`. `POST /matches/:id/follow` is the same with the match in its path.
public struct FollowRequest: Codable, Hashable, Sendable {
    public var matchId: MatchID
    /// The phone that asks. A user of several phones must name it together with `startsLocally`.
    public var deviceId: DeviceID?
    /// Whether the phone starts the activity itself. If so, no push-to-start is sent to it, unless the activity's token
    /// does not arrive.
    public var startsLocally: Bool?
    /// The side that the user supports. When it is left out, the known side stays.
    public var teamId: String?
    public var alerts: AlertLevel?

    public init(
        matchId: MatchID, deviceId: DeviceID? = nil, startsLocally: Bool? = nil, teamId: String? = nil,
        alerts: AlertLevel? = nil
    ) {
        self.matchId = matchId
        self.deviceId = deviceId
        self.startsLocally = startsLocally
        self.teamId = teamId
        self.alerts = alerts
    }
}

/// The answer to a follow.
public struct FollowResponse: Codable, Hashable, Sendable {
    public var following: Bool
    /// The state to show at once; absent before the match's first version.
    public var displayState: ContentState?
    public var liveActivity: LiveActivityOutlook
    /// The channel for an activity that the app starts or schedules itself; absent when there is none, and the app then
    /// asks for an update token.
    public var channel: BroadcastChannel?
    /// The relevance of an activity that the app starts itself, from 0 to 100, as a push would give it
    /// (`relevance-score`). Absent before the match's first version, and from an older backend.
    public var relevance: Double?

    public init(
        following: Bool, displayState: ContentState?, liveActivity: LiveActivityOutlook,
        channel: BroadcastChannel? = nil, relevance: Double? = nil
    ) {
        self.following = following
        self.displayState = displayState
        self.liveActivity = liveActivity
        self.channel = channel
        self.relevance = relevance
    }
}

/// The broadcast channel of a match for one user: the channel of the user's alert level and of the phone's APNs
/// environment. An activity that is subscribed to it is updated without a token of its own (iOS 18 and later).
public struct BroadcastChannel: Codable, Hashable, Sendable {
    public var id: ChannelID
    /// The start of the match, in seconds since 1970: an app on iOS 26 may schedule its activity for that moment.
    public var startsAt: Int?

    public init(id: ChannelID, startsAt: Int? = nil) {
        self.id = id
        self.startsAt = startsAt
    }
}

/// The expected fate of the Live Activity on the user's phones.
public enum LiveActivityOutlook: String, Codable, Hashable, Sendable {
    /// The activity runs on at least one phone.
    case active
    /// A push-to-start is on its way, or the phone starts the activity itself.
    case starting
    /// The match is not in play yet. The activity starts when play does.
    case scheduled
    /// No phone of the user can show a Live Activity.
    case unavailable
    /// The activity has ended, or the match is over.
    case ended
    /// An outlook that a newer server sends and this build does not know.
    case other

    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// The body of `DELETE /user/follow/match`.
public struct UnfollowRequest: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public init(matchId: MatchID) { self.matchId = matchId }
}

/// The answer to an unfollow and to a dismissal.
public struct UnfollowResponse: Codable, Hashable, Sendable {
    public var following: Bool
    public init(following: Bool) { self.following = following }
}

/// One entry of `GET /user/follows`, and the answer to `PATCH /user/follow/match/:id`. Times are seconds since 1970.
public struct FollowItem: Codable, Hashable, Sendable {
    public var matchId: MatchID
    public var teamId: String?
    public var alerts: AlertLevel
    public var followedAt: Int
    /// The time at which the follow expires, set when the match is over.
    public var expiresAt: Int?

    public init(matchId: MatchID, teamId: String?, alerts: AlertLevel, followedAt: Int, expiresAt: Int?) {
        self.matchId = matchId
        self.teamId = teamId
        self.alerts = alerts
        self.followedAt = followedAt
        self.expiresAt = expiresAt
    }
}

/// The answer to `GET /user/follows`.
public struct FollowsResponse: Codable, Hashable, Sendable {
    public var follows: [FollowItem]
    public init(follows: [FollowItem]) { self.follows = follows }
}
