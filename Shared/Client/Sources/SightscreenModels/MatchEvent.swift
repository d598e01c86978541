/// The kinds of event in a match, in the product's names. `deploy/docs/events.md` says when each fires.
public enum EventKind: String, Codable, Sendable, Hashable, CaseIterable {
    case dot, one, two, three, four, six, extras
    case wicket, milestone, onHatTrick, hatTrick, maidenOver, batterOnFire, bowlerOnFire
    case newBatter, nineties, consecutiveSixes, endOfOver
    case inningsBreak, matchResult, suspended, resumed
    case fiveWickets, toss, closeFinish, targetRevised, stumps
    /// A correction, sent to those who received an event that the provider took back. It is no event of its own.
    case correction
}

/// One event of a match. Two events with the same `key` are the same event seen twice.
public struct MatchEvent: Codable, Hashable, Sendable {
    /// The key that makes an event unique among its kind: `four:b12345`, `wicket:S1:p678`, `milestone:S1:p678:50`,
    /// `maidenOver:S1:o7`, …
    public var key: String
    public var kind: EventKind
    /// The multiple of 50 of a milestone, the length of a streak, or the run of sixes.
    public var value: Int?
    /// The number of the innings, from 1.
    public var innings: Int?
    /// The label of the ball that the event belongs to: "12.3".
    public var ball: String?
    public var ballID: Int64?
    /// The batter who is out, the bowler on a hat-trick, or the batter who reached a milestone.
    public var playerID: Int64?
    /// The bowler; nil when no ball shows the event.
    public var bowlerID: Int64?
    /// The striker, or the batter who comes in.
    public var batterID: Int64?
    /// The batter who was out: for a wicket, and for the events that it brings a bowler.
    public var outID: Int64?
    /// A sentence for the reader: "Pollard c Dhoni b Chahar 12 (9)".
    public var text: String
    /// The time at which the provider last changed the underlying data, in seconds since 1970.
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
/// The alert of a version; a version has at most one.
public struct MatchAlert: Codable, Hashable, Sendable {
    public var title: String
    public var body: String
    public var kind: EventKind
    public var value: Int?
    /// Whether a sound plays: with a wicket, a hundred (150 …), a hat-trick and the result.
    public var sound: Bool
    /// Whether any event in the alert, not only the event of its title, is for followers who want key alerts only.
    public var isKey: Bool
    /// The time of the newest event in the alert, in seconds since 1970. An alert over 30 s old is not shown.
    public var eventAt: Int
    /// The keys of the events in the alert, that of the title first. The alert is no longer sent once the title's event
    /// is taken back. Nil when the keys are not known.
    public var eventKeys: [String]?
    /// The words of each event, in the order of `eventKeys`: what is told by a later push, with another state or with
    /// other alerts. Nil when they are not known.
    public var news: [News]?

    /// The words of one event of an alert.
    public struct News: Codable, Hashable, Sendable {
        /// The news as a title: "KKR 180/7: Chahal on a hat-trick".
        public var title: String
        /// How it came about; nil when the title says it all.
        public var detail: String?
        /// The news beside another title; nil when that one has said it.
        public var mention: String?
        /// The innings of the event; nil for an event of none.
        public var innings: Int?
        /// How the body ends under this title; nil when it says nothing of the match.
        public var ending: Ending?

        public init(title: String, detail: String?, mention: String?, innings: Int?, ending: Ending?) {
            self.title = title
            self.detail = detail
            self.mention = mention
            self.innings = innings
            self.ending = ending
        }
    }

    /// What the end of a body says of the match: both totals, what the next innings begins with, or the score and what
    /// is needed.
    public enum Ending: String, Codable, Hashable, Sendable { case totals, nextInnings, score }

    /// - Parameter isKey: whether the alert is a key alert; nil when the title's event is the only one and decides it.
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

    /// Whether an event makes a key alert: match result, innings break, target revised, stumps, close finish,
    /// hat-trick, hundred (150, …), five wickets, the wicket of a batter with 50 or more, and each third wicket of a
    /// side. These are about a third of all alerts.
    ///
    /// - Parameters:
    ///   - batterRuns: the runs of the batter who is out; nil when they are not known.
    ///   - fallen: the wicket's number in the innings, from 1; nil when it is not known. A wicket of which neither
    ///     value is known is a key event.
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

    /// Whether a follower with this level receives the alert.
    public func isWanted(at level: AlertLevel) -> Bool {
        switch level {
        case .all: true
        case .none, .other: false
        case .key: isKey
        }
    }
}

extension MatchAlert {
    /// Reads a kind that only a newer release knows as `correction`, which has no kind of its own. The alert's text and
    /// its audience do not depend on the kind, so a coordinator of this release still sends it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            title: try values.decode(String.self, forKey: .title), body: try values.decode(String.self, forKey: .body),
            kind: try values.decode(LenientName<EventKind>.self, forKey: .kind).known ?? .correction,
            value: try values.decodeIfPresent(Int.self, forKey: .value),
            sound: try values.decode(Bool.self, forKey: .sound), isKey: try values.decode(Bool.self, forKey: .isKey),
            eventAt: try values.decode(Int.self, forKey: .eventAt))
        eventKeys = try values.decodeIfPresent([String].self, forKey: .eventKeys)
        news = try values.decodeIfPresent([News].self, forKey: .news)
    }
}
