/// The content state as apps of an earlier release decode it, whatever the backend sends today. Each release's contract
/// is a type of its own, copied when the next one changes the contract, and never changed after that.
public enum FrozenContentState {
    /// Release 1: VoiceOver's sentence was sent, and a side that was all out had "/10".
    public struct Release1: Decodable {
        public struct Leading: Decodable {
            public var teamAbbr, score: String
        }

        public struct Trailing: Decodable {
            public var overs, runRate: String
        }

        public struct Innings: Decodable {
            public var teamAbbr, score, overs: String
        }

        public struct Batter: Decodable {
            public var name, score, strikeRate: String
            public var onStrike: Bool
        }

        public struct Bowler: Decodable {
            public var name, figures, economy: String
        }

        public struct LastEvent: Decodable {
            public var kind, text: String
        }

        public struct Expanded: Decodable {
            public var title, subtitle: String
            public var innings: [Innings]
            public var batters: [Batter]
            public var bowler: Bowler?
            public var recentBalls: [String]
            public var target, requiredRunRate, equation: String?
            public var lastEvent: LastEvent?
            public var status, spoken: String?
        }

        public var schema, version: Int
        public var matchDisplayState, matchSentiment: String
        public var compactLeading: Leading
        public var compactTrailing: Trailing
        public var minimal: Leading?
        public var expanded: Expanded
    }
}
