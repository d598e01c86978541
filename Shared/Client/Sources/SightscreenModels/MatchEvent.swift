/// What happened, by the names of the product ("the events, stated precisely" defines when each fires).
public enum EventKind: String, Codable, Sendable, Hashable, CaseIterable {
    case dot, one, two, three, four, six, extras
    case wicket, milestone, onHatTrick, hatTrick, maidenOver, batterOnFire, bowlerOnFire
    case newBatter, nineties, consecutiveSixes, endOfOver
    case inningsBreak, matchResult, suspended, resumed
}

/// One event of a match. Two events with the same `key` are the same event seen twice.
public struct MatchEvent: Codable, Hashable, Sendable {
    /// "Once per" of its kind: `four:b12345`, `wicket:S1:p678`, `milestone:S1:p678:50`, `maidenOver:S1:o7`, …
    public var key: String
    public var kind: EventKind
    /// The multiple of 50, the length of a streak, the run of sixes.
    public var value: Int?
    /// Innings number from 1.
    public var innings: Int?
    /// "12.3": the label of the ball it belongs to.
    public var ball: String?
    public var ballID: Int64?
    /// The batter out, the bowler on a hat-trick, the batter who reached a milestone.
    public var playerID: Int64?
    /// Who bowled the ball; nil where no ball shows the event.
    public var bowlerID: Int64?
    /// Who faced the ball, or who comes in to bat.
    public var batterID: Int64?
    /// Who was out on it: of a wicket and of what it brings a bowler.
    public var outID: Int64?
    /// A sentence a fan would want to read: "Pollard c Dhoni b Chahar 12 (9)".
    public var text: String
    /// When the provider last touched the data it comes from, seconds since 1970.
    public var at: Int

    public init(
        key: String, kind: EventKind, value: Int? = nil, innings: Int? = nil, ball: String? = nil, ballID: Int64? = nil,
        playerID: Int64? = nil, bowlerID: Int64? = nil, batterID: Int64? = nil, outID: Int64? = nil, text: String,
        at: Int
    ) {
        self.key = key
        self.kind = kind
        self.value = value
        self.innings = innings
        self.ball = ball
        self.ballID = ballID
        self.playerID = playerID
        self.bowlerID = bowlerID
        self.batterID = batterID
        self.outID = outID
        self.text = text
        self.at = at
    }
}

/// What buzzes a phone: one per version at most.
public struct MatchAlert: Codable, Hashable, Sendable {
    public var title: String
    public var body: String
    public var kind: EventKind
    public var value: Int?
    /// Sound goes with a wicket alone.
    public var sound: Bool
    /// Whether any event in it, not only the one of the title, is for followers who want key alerts only.
    public var isKey: Bool
    /// When the newest event in it happened, seconds since 1970: an alert over 30 s old is not shown.
    public var eventAt: Int

    /// - Parameter isKey: nil when the title's event is the only one.
    public init(
        title: String, body: String, kind: EventKind, value: Int?, sound: Bool, isKey: Bool? = nil, eventAt: Int
    ) {
        self.title = title
        self.body = body
        self.kind = kind
        self.value = value
        self.sound = sound
        self.isKey = isKey ?? Self.isKey(kind, value: value)
        self.eventAt = eventAt
    }

    /// Match result, innings break, hat-trick, hundred (150, …), wicket.
    public static func isKey(_ kind: EventKind, value: Int?) -> Bool {
        switch kind {
        case .matchResult, .inningsBreak, .hatTrick, .wicket: true
        case .milestone: (value ?? 0) >= 100
        default: false
        }
    }

    /// Whether a follower with this level is told.
    public func isWanted(at level: AlertLevel) -> Bool {
        switch level {
        case .all: true
        case .none: false
        case .key: isKey
        }
    }
}
