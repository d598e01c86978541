public import SightscreenModels

/// The whole state that the page shows of one simulated iPhone.
public struct LabPhoneState: Codable, Hashable, Sendable {
    /// The phone's id: letters, digits, `-` and `_`, because it is part of URLs.
    public var id: String
    /// The name that its owner gave it: "Asha's iPhone".
    public var name: String
    /// The user who is signed in.
    public var user: String
    public var isOnline: Bool
    /// When the phone was last online again, in milliseconds since 1970.
    public var onlineSinceMs: Int64
    public var app: App
    /// Whether iOS has suspended the app: it runs again when it is opened or woken.
    public var isAsleep: Bool
    /// The switch for Live Activities; `allowsFrequentPushes` is the one for frequent updates.
    public var allowsActivities: Bool
    public var allowsFrequentPushes: Bool
    /// The activities in the order of their start, without dismissed ones.
    public var activities: [LabActivity]
    public var island: Island
    /// The follow buttons, one for each match that the app shows.
    public var followButtons: [LabFollowButton]
    /// The newest alert that lit up the screen, of a Live Activity or a notification.
    public var alert: LabAlert?
    public var pushes: Pushes
    /// The phone's events, newest last, at most `logLinesMax`.
    public var log: [LabLogLine]

    /// The most log lines, more than the page shows at once.
    public static let logLinesMax = 40

    public enum App: String, Codable, Sendable { case foreground, background, killed }

    /// The ids of the activities in the Dynamic Island.
    public struct Island: Codable, Hashable, Sendable {
        /// The most relevant activity: compact, or expanded when it is touched.
        public var primary: String?
        /// The second activity, where there are several.
        public var minimal: String?

        package init(primary: String? = nil, minimal: String? = nil) {
            self.primary = primary
            self.minimal = minimal
        }
    }

    /// The pushes that arrived over APNs since the phone was made.
    public struct Pushes: Codable, Hashable, Sendable {
        public var received: Int
        /// Pushes that were received and had no effect: too old, over the budget, unknown token.
        public var dropped: Int
        public var alerts: Int

        package init(received: Int = 0, dropped: Int = 0, alerts: Int = 0) {
            self.received = received
            self.dropped = dropped
            self.alerts = alerts
        }
    }

    package init(
        id: String, name: String, user: String, isOnline: Bool = true, onlineSinceMs: Int64 = 0,
        app: App = .background, isAsleep: Bool = false, allowsActivities: Bool = true,
        allowsFrequentPushes: Bool = true,
        activities: [LabActivity] = [], island: Island = Island(), followButtons: [LabFollowButton] = [],
        alert: LabAlert? = nil,
        pushes: Pushes = Pushes(), log: [LabLogLine] = []
    ) {
        self.id = id
        self.name = name
        self.user = user
        self.isOnline = isOnline
        self.onlineSinceMs = onlineSinceMs
        self.app = app
        self.isAsleep = isAsleep
        self.allowsActivities = allowsActivities
        self.allowsFrequentPushes = allowsFrequentPushes
        self.activities = activities
        self.island = island
        self.followButtons = followButtons
        self.alert = alert
        self.pushes = pushes
        self.log = log
    }
}

/// The follow button beside a match in the app.
public struct LabFollowButton: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable { case empty, filled, filledWithWarning }

    public var matchId: MatchID
    public var state: State
    /// Whether the gateway has not answered yet, or could not be reached.
    public var isPending: Bool
    /// The alerts that the user chose on this phone.
    public var alerts: AlertLevel

    package init(matchId: MatchID, state: State, isPending: Bool = false, alerts: AlertLevel = .all) {
        self.matchId = matchId
        self.state = state
        self.isPending = isPending
        self.alerts = alerts
    }
}

/// An alert that lit up the screen.
public struct LabAlert: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable { case activity, notification }

    /// The alert's number, which grows with each alert of the phone.
    public var id: Int
    public var kind: Kind
    public var title: String
    public var body: String
    public var hasSound: Bool
    /// When it was shown, in milliseconds since 1970.
    public var atMs: Int64

    package init(id: Int, kind: Kind, title: String, body: String, hasSound: Bool, atMs: Int64) {
        self.id = id
        self.kind = kind
        self.title = title
        self.body = body
        self.hasSound = hasSound
        self.atMs = atMs
    }
}

public struct LabLogLine: Codable, Hashable, Sendable {
    /// The cause of the event: the user, the app, a push or iOS.
    public enum Kind: String, Codable, Sendable { case user, app, push, system }

    /// When it happened, in milliseconds since 1970.
    public var atMs: Int64
    public var kind: Kind
    public var text: String

    package init(atMs: Int64, kind: Kind, text: String) {
        self.atMs = atMs
        self.kind = kind
        self.text = text
    }
}
