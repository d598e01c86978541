/// What a follower's Lock Screen and Dynamic Island show: the contract between backend and app.
///
/// Default `Codable` coding, camelCase. Keys are only ever added, and only optional ones; the app formats and decides
/// nothing, so all values are ready strings except `schema`, `version`, `onStrike` and `allOut`.
public struct ContentState: Codable, Hashable, Sendable {
    public var schema: Int
    public var version: Int
    public var matchDisplayState: MatchDisplayState
    public var matchSentiment: MatchSentiment
    public var compactLeading: CompactLeading
    public var compactTrailing: CompactTrailing
    public var minimal: CompactLeading?
    public var expanded: Expanded

    /// What `recentBalls` has between the last ball of an over and the next.
    public static let overEnd = "|"

    public init(
        schema: Int = 1, version: Int, matchDisplayState: MatchDisplayState, matchSentiment: MatchSentiment,
        compactLeading: CompactLeading, compactTrailing: CompactTrailing, minimal: CompactLeading?, expanded: Expanded
    ) {
        self.schema = schema
        self.version = version
        self.matchDisplayState = matchDisplayState
        self.matchSentiment = matchSentiment
        self.compactLeading = compactLeading
        self.compactTrailing = compactTrailing
        self.minimal = minimal
        self.expanded = expanded
    }

    /// The batting side and its score; "" before play.
    public struct CompactLeading: Codable, Hashable, Sendable {
        public var teamAbbr: String
        public var score: String
        public init(teamAbbr: String, score: String) {
            self.teamAbbr = teamAbbr
            self.score = score
        }
    }

    /// Overs as "n.m" and the current run rate.
    public struct CompactTrailing: Codable, Hashable, Sendable {
        public var overs: String
        public var runRate: String
        public init(overs: String, runRate: String) {
            self.overs = overs
            self.runRate = runRate
        }
    }

    public struct Expanded: Codable, Hashable, Sendable {
        public var title: String
        public var subtitle: String
        public var innings: [Innings]
        public var batters: [Batter]
        public var bowler: Bowler?
        /// Newest last, at most 12 entries: balls, each of `• 1 2 3 4 5 6 W wd nb b lb`, extras of more than one run with
        /// their runs (`4lb`), and `overEnd` where an over ends.
        public var recentBalls: [String]
        public var target: String?
        public var requiredRunRate: String?
        public var equation: String?
        public var lastEvent: LastEvent?
        /// The newest wicket of the innings in play, until the next: "Pollard 12 (9) · 87/6 (12.3)".
        public var lastWicket: String?
        /// What the two at the crease have added: "45 (32)".
        public var partnership: String?
        /// Matches over several days: "Day 2 · Evening session · 23 overs left".
        public var session: String?
        /// Once there is a result; it leads every presentation then.
        public var outcome: Outcome?
        /// What interrupts play ("Rain stopped play", "Lunch", "Day 2: Stumps"), that it is a super over, or the
        /// result.
        public var status: String?

        public init(
            title: String, subtitle: String, innings: [Innings], batters: [Batter], bowler: Bowler?,
            recentBalls: [String], target: String?, requiredRunRate: String?, equation: String?, lastEvent: LastEvent?,
            lastWicket: String? = nil, partnership: String? = nil, session: String? = nil, outcome: Outcome? = nil,
            status: String?
        ) {
            self.title = title
            self.subtitle = subtitle
            self.innings = innings
            self.batters = batters
            self.bowler = bowler
            self.recentBalls = recentBalls
            self.target = target
            self.requiredRunRate = requiredRunRate
            self.equation = equation
            self.lastEvent = lastEvent
            self.lastWicket = lastWicket
            self.partnership = partnership
            self.session = session
            self.outcome = outcome
            self.status = status
        }
    }

    public struct Innings: Codable, Hashable, Sendable {
        public var teamAbbr: String
        /// "171/6"; of a side that is all out "171", with `allOut`.
        public var score: String
        public var overs: String
        /// True or absent.
        public var allOut: Bool?
        public init(teamAbbr: String, score: String, overs: String, allOut: Bool? = nil) {
            self.teamAbbr = teamAbbr
            self.score = score
            self.overs = overs
            self.allOut = allOut
        }
    }

    /// How the match ended. Without a winner (tie, draw, no result) there is no `winnerAbbr`.
    public struct Outcome: Codable, Hashable, Sendable {
        public var winnerAbbr: String?
        /// "won by 7 runs" with a winner, else the whole sentence: "Match tied".
        public var text: String
        public init(winnerAbbr: String?, text: String) {
            self.winnerAbbr = winnerAbbr
            self.text = text
        }
    }

    public struct Batter: Codable, Hashable, Sendable {
        public var name: String
        public var score: String
        public var strikeRate: String
        public var onStrike: Bool
        public init(name: String, score: String, strikeRate: String, onStrike: Bool) {
            self.name = name
            self.score = score
            self.strikeRate = strikeRate
            self.onStrike = onStrike
        }
    }

    public struct Bowler: Codable, Hashable, Sendable {
        public var name: String
        /// Overs-maidens-runs-wickets: "3.3-0-27-2".
        public var figures: String
        public var economy: String
        public init(name: String, figures: String, economy: String) {
            self.name = name
            self.figures = figures
            self.economy = economy
        }
    }

    public struct LastEvent: Codable, Hashable, Sendable {
        public var kind: LenientName<EventKind>
        /// "12.3": the label of the ball it happened on.
        public var ball: String?
        public var text: String
        public init(kind: EventKind, ball: String? = nil, text: String) {
            self.kind = LenientName(kind)
            self.ball = ball
            self.text = text
        }
    }
}

/// The phase as the app shows it. `inningsBreak` is between innings only; lunch, tea and stumps are `live` with a
/// status.
public enum MatchDisplayState: String, Sendable, Hashable, CaseIterable {
    case scheduled, live, inningsBreak, suspended, completed, abandoned
    /// A value that a newer backend sends and this build does not know.
    case other
}

public enum MatchSentiment: String, Sendable, Hashable, CaseIterable {
    case neutral, exciting, tense, dominant, other
}

extension MatchDisplayState: Codable {
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

extension MatchSentiment: Codable {
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// A name of a closed list in a contract that may grow: what is not known stays as it was sent.
public struct LenientName<Name: RawRepresentable & Hashable & Sendable>: Hashable, Sendable, Codable
where Name.RawValue == String {
    public let text: String
    /// Nil for a name that this build does not know.
    public var known: Name? { Name(rawValue: text) }

    public init(_ name: Name) { text = name.rawValue }

    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
