public import SightscreenClient
public import SightscreenModels

/// One activity on a simulated phone, with the data that only the system has.
public struct SimulatedActivity: Hashable, Sendable {
    public internal(set) var activity: PhoneActivity
    /// The timestamp of the shown content, which an update must exceed.
    public internal(set) var timestamp: Int
    /// The time at which it appeared, or will appear.
    public let startedAt: Int
    /// The broadcast channel that it listens to; nil when it has an update token. The app knows it only from the
    /// attributes.
    public let channel: ChannelID?
    /// The alert with which a scheduled activity appears.
    var startAlert: PushAlert?
    public internal(set) var endedAt: Int?
    /// The time at which it leaves the screen, in seconds since 1970; nil while it runs.
    public internal(set) var leavesAt: Int?
    /// The update token; nil until the system has issued one.
    public internal(set) var token: UpdateToken?
    /// The number of updates that were shown.
    public internal(set) var updates = 0
    public internal(set) var lastAlert: ShownAlert?
    var immediateBudget = DeviceBudget()

    public var id: ActivityID { activity.id }
    public var matchID: MatchID { activity.matchID }
    public var content: ShownContent { activity.content }
    public var state: PhoneActivityState { activity.state }
    public var isRunning: Bool { activity.isRunning }

    /// The card with its presentations.
    public var card: MatchCard { MatchCard(activity) }

    /// Whether this activity comes before another one in the Dynamic Island: the higher relevance first, then the
    /// earlier start.
    func comes(before other: Self) -> Bool {
        let (mine, others) = (content.relevance ?? 0, other.content.relevance ?? 0)
        return mine == others ? startedAt < other.startedAt : mine > others
    }
}
/// An alert that the phone has shown.
public struct ShownAlert: Hashable, Sendable {
    public var title: String
    public var body: String
    public var hasSound: Bool
    /// Seconds since 1970.
    public var at: Int

    public init(title: String, body: String, hasSound: Bool, at: Int) {
        self.title = title
        self.body = body
        self.hasSound = hasSound
        self.at = at
    }
}
