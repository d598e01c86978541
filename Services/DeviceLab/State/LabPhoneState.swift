public import SightscreenModels

/// Everything that the page shows of one simulated iPhone.
public struct LabPhoneState: Codable, Hashable, Sendable {
    /// Letters, digits, `-` and `_`: it stands in addresses.
    public var id: String
    /// As its owner calls it: "Asha's iPhone".
    public var name: String
    /// Who is signed in.
    public var user: String
    public var isOnline: Bool
    /// Milliseconds since 1970.
    public var onlineSinceMs: Int64
    public var app: App
    /// The user's two switches: Live Activities, and frequent updates of them.
    public var allowsActivities: Bool
    public var allowsFrequentPushes: Bool
    /// In order of starting; a dismissed one is not among them.
    public var activities: [LabActivity]
    public var island: Island
    /// One for each match that the app shows.
    public var bells: [LabBell]
    /// The newest thing that lit up the screen: the alert of a Live Activity, or a notification.
    public var alert: LabAlert?
    public var pushes: Pushes
    /// What happened on it, newest last, at most `logLinesMax`.
    public var log: [LabLogLine]

    /// More than the page shows at once.
    public static let logLinesMax = 40

    public enum App: String, Codable, Sendable { case foreground, background, killed }

    /// Which activities are in the Dynamic Island, by their ids.
    public struct Island: Codable, Hashable, Sendable {
        /// The most relevant one: compact, or expanded when it is touched.
        public var primary: String?
        /// The second one, where there are several.
        public var minimal: String?

        public init(primary: String? = nil, minimal: String? = nil) {
            self.primary = primary
            self.minimal = minimal
        }
    }

    /// What came over APNs since the phone was made.
    public struct Pushes: Codable, Hashable, Sendable {
        public var received: Int
        /// Received and not acted on: too old, over the budget, unknown token.
        public var dropped: Int
        public var alerts: Int

        public init(received: Int = 0, dropped: Int = 0, alerts: Int = 0) {
            self.received = received
            self.dropped = dropped
            self.alerts = alerts
        }
    }

    public init(
        id: String, name: String, user: String, isOnline: Bool = true, onlineSinceMs: Int64 = 0,
        app: App = .background, allowsActivities: Bool = true, allowsFrequentPushes: Bool = true,
        activities: [LabActivity] = [], island: Island = Island(), bells: [LabBell] = [], alert: LabAlert? = nil,
        pushes: Pushes = Pushes(), log: [LabLogLine] = []
    ) {
        self.id = id
        self.name = name
        self.user = user
        self.isOnline = isOnline
        self.onlineSinceMs = onlineSinceMs
        self.app = app
        self.allowsActivities = allowsActivities
        self.allowsFrequentPushes = allowsFrequentPushes
        self.activities = activities
        self.island = island
        self.bells = bells
        self.alert = alert
        self.pushes = pushes
        self.log = log
    }
}

/// The bell beside a match in the app.
public struct LabBell: Codable, Hashable, Sendable {
    public enum State: String, Codable, Sendable { case empty, filled, filledWithWarning }

    public var matchId: MatchID
    public var state: State
    /// The gateway has not answered yet, or could not be reached.
    public var isPending: Bool

    public init(matchId: MatchID, state: State, isPending: Bool = false) {
        self.matchId = matchId
        self.state = state
        self.isPending = isPending
    }
}

/// Something that lit up the screen.
public struct LabAlert: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable { case activity, notification }

    /// Grows with each alert of the phone.
    public var id: Int
    public var kind: Kind
    public var title: String
    public var body: String
    public var hasSound: Bool
    /// Milliseconds since 1970.
    public var atMs: Int64

    public init(id: Int, kind: Kind, title: String, body: String, hasSound: Bool, atMs: Int64) {
        self.id = id
        self.kind = kind
        self.title = title
        self.body = body
        self.hasSound = hasSound
        self.atMs = atMs
    }
}

public struct LabLogLine: Codable, Hashable, Sendable {
    /// Whether the user, the app, a push or iOS did it.
    public enum Kind: String, Codable, Sendable { case user, app, push, system }

    /// Milliseconds since 1970.
    public var atMs: Int64
    public var kind: Kind
    public var text: String

    public init(atMs: Int64, kind: Kind, text: String) {
        self.atMs = atMs
        self.kind = kind
        self.text = text
    }
}
