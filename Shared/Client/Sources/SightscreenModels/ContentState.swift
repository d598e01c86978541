/// The content of a follower's Lock Screen and Dynamic Island: the contract between backend and app.
///
/// It uses default `Codable` coding with camelCase keys. Keys are only ever added, and new keys are optional. The app
/// formats and decides nothing, so all values are ready strings except `schema`, `version`, `onStrike` and `allOut`.
public struct ContentState: Codable, Hashable, Sendable {
    public var schema: Int
    public var version: Int
    public var matchDisplayState: MatchDisplayState
    public var matchSentiment: MatchSentiment
    public var compactLeading: CompactLeading
    public var compactTrailing: CompactTrailing
    public var minimal: CompactLeading?
    public var expanded: Expanded

    /// The entry of `recentBalls` between the last ball of an over and the next.
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

    /// The batting side and its score. The score is "" before play.
    public struct CompactLeading: Codable, Hashable, Sendable {
        public var teamAbbr: String
        public var score: String
        public init(teamAbbr: String, score: String) {
            self.teamAbbr = teamAbbr
            self.score = score
        }
    }

    /// The overs as "n.m", and the current run rate.
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
        /// At most 12 entries, newest last: balls, each of `• 1 … 9 W wd nb b lb`, extras of more than one run
        /// with their runs (`4lb`), and `overEnd` where an over ends.
        public var recentBalls: [String]
        public var target: String?
        public var requiredRunRate: String?
        public var equation: String?
        public var lastEvent: LastEvent?
        /// The newest wicket of the innings in play, until the next: "Pollard 12 (9) · 87/6 (12.3)".
        public var lastWicket: String?
        /// The runs and balls of the two batters at the crease: "45 (32)".
        public var partnership: String?
        /// The day and session of a match over several days: "Day 2 · Session 3".
        public var session: String?
        /// When the newest change was seen, in seconds since 1970, on the card of a match that nobody reports any more.
        public var asOf: Int?
        /// The result, once there is one. It leads every presentation then.
        public var outcome: Outcome?
        /// The interruption of play ("Rain stopped play", "Lunch", "Day 2: Stumps"), the note that it is a super over,
        /// or the result.
        public var status: String?

        public init(
            title: String, subtitle: String, innings: [Innings], batters: [Batter], bowler: Bowler?,
            recentBalls: [String], target: String?, requiredRunRate: String?, equation: String?, lastEvent: LastEvent?,
            lastWicket: String? = nil, partnership: String? = nil, session: String? = nil, asOf: Int? = nil,
            outcome: Outcome? = nil, status: String?
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
            self.asOf = asOf
            self.outcome = outcome
            self.status = status
        }
    }

    public struct Innings: Codable, Hashable, Sendable {
        public var teamAbbr: String
        /// The score as "171/6". A side that is all out has "171", with `allOut`.
        public var score: String
        public var overs: String
        /// True when the side is all out, otherwise absent.
        public var allOut: Bool?
        public init(teamAbbr: String, score: String, overs: String, allOut: Bool? = nil) {
            self.teamAbbr = teamAbbr
            self.score = score
            self.overs = overs
            self.allOut = allOut
        }
    }

    /// The end of the match. Without a winner (tie, draw, no result) there is no `winnerAbbr`.
    public struct Outcome: Codable, Hashable, Sendable {
        public var winnerAbbr: String?
        /// The result: "won by 7 runs" with a winner, otherwise the whole sentence: "Match tied".
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
        /// Overs, maidens, runs and wickets: "3.3-0-27-2".
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
        /// The label of the ball that it happened on: "12.3".
        public var ball: String?
        public var text: String
        public init(kind: EventKind, ball: String? = nil, text: String) {
            self.kind = LenientName(kind)
            self.ball = ball
            self.text = text
        }
    }
}

/// The phase of a match as the app shows it. `inningsBreak` is between innings only; lunch, tea and stumps are `live`
/// with a status.
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

/// A name from a list that may grow. A name that this build does not know stays as it was sent.
public struct LenientName<Name: RawRepresentable & Hashable & Sendable>: Hashable, Sendable, Codable
where Name.RawValue == String {
    public let text: String
    /// The name's value; nil when this build does not know it.
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
