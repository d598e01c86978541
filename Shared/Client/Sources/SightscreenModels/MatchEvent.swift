/// What happened, by the names of the product ("the events, stated precisely" defines when each fires).
public enum EventKind: String, Codable, Sendable, Hashable, CaseIterable {
    case dot, one, two, three, four, six, extras
    case wicket, milestone, onHatTrick, hatTrick, maidenOver, batterOnFire, bowlerOnFire
    case newBatter, nineties, consecutiveSixes, endOfOver
    case inningsBreak, matchResult, suspended, resumed
    case fiveWickets, toss, closeFinish, targetRevised, stumps
    /// No event of its own: tells those who heard of an event that the provider took it back.
    case correction
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
    /// Sound goes with a wicket, a hundred (150 …), a hat-trick and the result.
    public var sound: Bool
    /// Whether any event in it, not only the one of the title, is for followers who want key alerts only.
    public var isKey: Bool
    /// When the newest event in it happened, seconds since 1970: an alert over 30 s old is not shown.
    public var eventAt: Int
    /// Keys of the events in it, the title's first: when that event is taken back, the alert is told no more. Nil: not known.
    public var eventKeys: [String]?

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

    /// Match result, innings break, target revised, stumps, close finish, hat-trick, hundred (150, …), five wickets; of
    /// wickets those of a batter with 50 or more, and each third of a side: about a third of all alerts.
    ///
    /// - Parameters:
    ///   - batterRuns: what the batter who is out has made; nil when it is not known.
    ///   - fallen: which wicket of the side it is, from 1; nil when it is not known. A wicket of which neither is known
    ///     counts as one for all.
    public static func isKey(
        _ kind: EventKind, value: Int?, batterRuns: Int? = nil, fallen: Int? = nil
    ) -> Bool {
        switch kind {
        case .matchResult, .inningsBreak, .targetRevised, .stumps, .closeFinish, .hatTrick, .fiveWickets: true
        case .milestone: (value ?? 0) >= 100
        case .wicket:
            batterRuns == nil && fallen == nil || (batterRuns ?? 0) >= 50 || fallen.map { $0 % 3 == 0 } ?? false
        case .dot, .one, .two, .three, .four, .six, .extras, .newBatter, .nineties, .consecutiveSixes, .endOfOver,
            .maidenOver, .batterOnFire, .bowlerOnFire, .onHatTrick, .suspended, .resumed, .toss, .correction:
            false
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

extension MatchAlert {
    /// A kind that only a newer release knows is read as `correction`, an event of no kind of its own: what the alert says
    /// and who is to hear it does not depend on it, and a coordinator of this release still tells it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            title: try values.decode(String.self, forKey: .title), body: try values.decode(String.self, forKey: .body),
            kind: try values.decode(LenientName<EventKind>.self, forKey: .kind).known ?? .correction,
            value: try values.decodeIfPresent(Int.self, forKey: .value),
            sound: try values.decode(Bool.self, forKey: .sound), isKey: try values.decode(Bool.self, forKey: .isKey),
            eventAt: try values.decode(Int.self, forKey: .eventAt))
        eventKeys = try values.decodeIfPresent([String].self, forKey: .eventKeys)
    }
}
