public import Activities
public import SightscreenModels

/// The request headers of one kind of push. They are the same for all devices that get the same payload: per device only
/// the path differs.
public struct APNsHeaders: Hashable, Sendable {
    public var topic: APNsTopic
    public var pushType: APNsPushType
    public var priority: APNsPriority
    /// Seconds since 1970 until which APNs keeps trying; 0 is one attempt.
    public var expiration: Int
    /// At most 64 bytes: a later push with it takes the place of an undelivered one.
    public var collapseID: String?

    public init(
        topic: APNsTopic, pushType: APNsPushType, priority: APNsPriority, expiration: Int, collapseID: String? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// Seconds after its event for which a push with an alert is delivered: news of a wicket a minute ago is none.
    public static let alertLifetime = 60

    /// Why an update is sent decides how long it is worth delivering.
    public enum UpdateKind: Hashable, Sendable {
        /// + 15 min from `at`.
        case routine(at: Int)
        /// The last one before a break, lunch, tea or stumps: + 2 h from `at`.
        case beforeBreak(at: Int)
        /// With an alert about something that happened at `eventAt`: + `alertLifetime` from then.
        case alert(eventAt: Int)

        public var expiration: Int {
            switch self {
            case .routine(let at): at + 15 * 60
            case .beforeBreak(let at): at + 2 * 60 * 60
            case .alert(let eventAt): eventAt + APNsHeaders.alertLifetime
            }
        }
    }

    /// Starts an activity. It expires 10 s before its lease does and collapses with other starts of the same match on
    /// the same device: a start delivered late would be a second activity.
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

    /// Ends an activity: worth delivering for 4 h.
    public static func end(bundleID: String, at: Int) -> Self {
        Self(
            topic: .liveActivity(bundleID: bundleID), pushType: .liveactivity, priority: .immediate,
            expiration: at + 4 * 60 * 60)
    }

    /// Asks the app to reconcile: worth delivering for 4 h. Apple allows no other priority for a push that shows nothing.
    public static func reconcile(bundleID: String, at: Int) -> Self {
        Self(
            topic: .app(bundleID: bundleID), pushType: .background, priority: .routine,
            expiration: at + 4 * 60 * 60)
    }

    /// Shows a notification: worth delivering for an hour, once per match.
    public static func visible(bundleID: String, at: Int, match: MatchID) -> Self {
        Self(
            topic: .app(bundleID: bundleID), pushType: .alert, priority: .immediate, expiration: at + 60 * 60,
            collapseID: "match-\(match)")
    }

    /// One per (match, device), 41 bytes at most.
    public static func startCollapseID(match: MatchID, route: DeviceRoute) -> String {
        "start-\(match)-\(String(route.hash, radix: 16))"
    }

    /// Has another canonical UUID in each push: APNs' answer and Apple's support name a push by it.
    public static let idField = "apns-id"

    /// Names and values, without `:path`, `authorization` and `apns-id`.
    public var fields: [(name: String, value: String)] {
        var fields = [
            (name: "apns-topic", value: topic.text),
            (name: "apns-push-type", value: pushType.rawValue),
            (name: "apns-priority", value: String(priority.rawValue)),
            (name: "apns-expiration", value: String(expiration)),
        ]
        if let collapseID { fields.append((name: "apns-collapse-id", value: collapseID)) }
        return fields
    }

    /// `:path` of a push to one device.
    public static func path(token: some PushToken) -> String { "/3/device/\(token.rawValue)" }
}
