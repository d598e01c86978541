public import Activities
public import SightscreenModels

/// The request headers of one kind of push. They are the same for all devices that get the same payload: only the path
/// differs per device.
public struct APNsHeaders: Hashable, Sendable {
    /// The topic of a push to one device; nil for a publish to a channel.
    public var topic: APNsTopic?
    /// The channel that the push is published to.
    public var channel: ChannelID?
    public var pushType: APNsPushType
    public var priority: APNsPriority
    /// The time until which APNs keeps trying, in seconds since 1970; 0 for one attempt.
    public var expiration: Int
    /// The collapse id, at most 64 bytes: a later push with the same one replaces an undelivered push.
    public var collapseID: String?

    package init(
        topic: APNsTopic?, channel: ChannelID? = nil, pushType: APNsPushType, priority: APNsPriority, expiration: Int,
        collapseID: String? = nil
    ) {
        self.topic = topic
        self.channel = channel
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// Seconds after its event for which a push with an alert is delivered; after a minute a wicket is no news.
    public static let alertLifetime = 60

    /// The reason for an update, which decides how long it is worth delivering.
    public enum UpdateKind: Hashable, Sendable {
        /// A routine update: 15 min from `at`.
        case routine(at: Int)
        /// The last update before a break, lunch, tea or stumps: 2 h from `at`.
        case beforeBreak(at: Int)
        /// An update with an alert about an event at `eventAt`: `alertLifetime` from then.
        case alert(eventAt: Int)

        public var expiration: Int {
            switch self {
            case .routine(let at): at + 15 * 60
            case .beforeBreak(let at): at + 2 * 60 * 60
            case .alert(let eventAt): eventAt + APNsHeaders.alertLifetime
            }
        }
    }

    /// The headers of a start. It expires 10 s before its lease and collapses with other starts of the same match on
    /// the same device, because a start that is delivered late would be a second activity.
    ///
    /// - Parameter leaseUntil: seconds since 1970.
    public static func start(bundleID: String, leaseUntil: Int, match: MatchID, route: DeviceRoute) -> Self {
        Self(
            topic: .liveActivity(bundleID: bundleID), pushType: .liveactivity, priority: .immediate,
            expiration: leaseUntil - 10, collapseID: startCollapseID(match: match, route: route))
    }

    public static func update(bundleID: String, priority: APNsPriority, _ kind: UpdateKind) -> Self {
        Self(
            topic: .liveActivity(bundleID: bundleID), pushType: .liveactivity, priority: priority,
            expiration: kind.expiration)
    }

    /// The headers of an end, which is worth delivering for 4 h.
    public static func end(bundleID: String, at: Int) -> Self {
        Self(
            topic: .liveActivity(bundleID: bundleID), pushType: .liveactivity, priority: .immediate,
            expiration: at + 4 * 60 * 60)
    }

    /// The headers of a push that asks the app to reconcile, worth delivering for 4 h, or until its nonce ends. Apple
    /// allows no other priority for a push that shows nothing.
    public static func reconcile(bundleID: String, at: Int, nonceUntil: Int? = nil) -> Self {
        Self(
            topic: .app(bundleID: bundleID), pushType: .background, priority: .routine,
            expiration: nonceUntil ?? at + 4 * 60 * 60)
    }

    /// The headers of a notification, worth delivering for an hour and shown once per match.
    public static func visible(bundleID: String, at: Int, match: MatchID) -> Self {
        Self(
            topic: .app(bundleID: bundleID), pushType: .alert, priority: .immediate, expiration: at + 60 * 60,
            collapseID: "match-\(match)")
    }

    /// The collapse id of a start: one per (match, device), 41 bytes at most.
    public static func startCollapseID(match: MatchID, route: DeviceRoute) -> String {
        "start-\(match)-\(String(route.hash, radix: 16))"
    }

    /// The field that has another canonical UUID in each push; APNs' answer and Apple's support identify a push by it.
    public var idField: String { channel == nil ? "apns-id" : Self.requestIDField }

    /// The names and values of all fields except `:path`, `authorization` and `idField`.
    public var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let topic { fields.append((name: "apns-topic", value: topic.text)) }
        if let channel { fields.append((name: Self.channelIDField, value: channel.rawValue)) }
        fields += [
            (name: "apns-push-type", value: pushType.rawValue),
            (name: "apns-priority", value: String(priority.rawValue)),
            (name: "apns-expiration", value: String(expiration)),
        ]
        if let collapseID { fields.append((name: "apns-collapse-id", value: collapseID)) }
        return fields
    }

    /// Returns the `:path` of a push to one device.
    public static func path(token: some PushToken) -> String { "/3/device/\(token.rawValue)" }

    // MARK: - Broadcast channels

    /// The name of the field with the channel's id, in requests and in the answer to a creation.
    public static let channelIDField = "apns-channel-id"
    /// The name of the field with another canonical UUID in each request about a channel; APNs returns it.
    public static let requestIDField = "apns-request-id"

    /// The headers of a publish to a channel that stores no message: APNs accepts no expiration but 0.
    public static func publish(to channel: ChannelID, priority: APNsPriority) -> Self {
        Self(topic: nil, channel: channel, pushType: .liveactivity, priority: priority, expiration: 0)
    }

    /// Returns the `:path` of a publish to any channel of an app.
    public static func broadcastPath(bundleID: String) -> String { "/4/broadcasts/apps/\(bundleID)" }
}
