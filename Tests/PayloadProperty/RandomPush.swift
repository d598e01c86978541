import APNsProtocol
import SightscreenModels
import TestSupport

/// Makes up states, alerts and attributes: from what a match shows to what only a broken or hostile provider could
/// send.
struct RandomPush {
    /// How long the texts of one push are.
    private enum Verbosity: CaseIterable { case ordinary, wordy, swollen, endless }

    private var random: SeededGenerator
    private var verbosity = Verbosity.ordinary

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A state and one payload of each kind that shows it.
    mutating func next() -> [LiveActivityPayload] {
        // Most matches are ordinary; the rest decide nothing about them but must fit too.
        let roll = Int.random(in: 0..<100, using: &random)
        verbosity = roll < 55 ? .ordinary : roll < 85 ? .wordy : roll < 97 ? .swollen : .endless
        let state = state()
        let stamp = Stamp(Int.random(in: 0...4_000_000_000, using: &random))
        let staleAt = chance(80) ? stamp.rawValue + 600 : nil
        let relevance = chance(80) ? Double(Int.random(in: 0...1_000, using: &random)) / 10 : nil
        return [
            .start(
                stamp: stamp, contentState: state, staleAt: staleAt, relevance: relevance, alert: alert(),
                attributesType: "LiveActivityAttributes", attributes: attributes()),
            .update(stamp: stamp, contentState: state, staleAt: staleAt, relevance: relevance),
            .update(stamp: stamp, contentState: state, staleAt: staleAt, relevance: relevance, alert: alert()),
            .end(stamp: stamp, contentState: state, dismissAt: stamp.rawValue + 900),
        ]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? { chance(60) ? make(&self) : nil }

    private mutating func many<Value>(_ range: ClosedRange<Int>, _ make: (inout Self) -> Value) -> [Value] {
        (0..<Int.random(in: range, using: &random)).map { _ in make(&self) }
    }

    // MARK: - State, alert, attributes

    private mutating func state() -> ContentState {
        let leading = ContentState.CompactLeading(teamAbbr: code(), score: score())
        let minimal: ContentState.CompactLeading? =
            chance(70) ? leading : chance(50) ? nil : ContentState.CompactLeading(teamAbbr: code(), score: score())
        return ContentState(
            version: Int.random(in: 0...100_000, using: &random),
            matchDisplayState: MatchDisplayState.allCases.randomElement(using: &random) ?? .live,
            matchSentiment: MatchSentiment.allCases.randomElement(using: &random) ?? .neutral,
            compactLeading: leading, compactTrailing: .init(overs: overs(), runRate: rate()), minimal: minimal,
            expanded: expanded())
    }

    private mutating func expanded() -> ContentState.Expanded {
        ContentState.Expanded(
            title: text(8...20), subtitle: chance(70) ? text(3...20) + " · " + text(5...20) : text(5...40),
            innings: many(0...6) {
                .init(teamAbbr: $0.code(), score: $0.score(), overs: $0.overs(), allOut: $0.chance(30) ? true : nil)
            },
            batters: many(0...3) {
                .init(name: $0.text(4...40), score: $0.score(), strikeRate: $0.rate(), onStrike: $0.chance(50))
            },
            bowler: optional { .init(name: $0.text(4...40), figures: $0.score(), economy: $0.rate()) },
            recentBalls: many(0...14) { $0.ball() }, target: optional { $0.score() },
            requiredRunRate: optional { $0.rate() }, equation: optional { $0.text(10...40) },
            lastEvent: optional {
                .init(
                    kind: EventKind.allCases.randomElement(using: &$0.random) ?? .wicket,
                    ball: $0.chance(80) ? "12.3" : nil, text: $0.text(5...100))
            },
            lastWicket: optional { $0.text(10...50) }, partnership: optional { $0.score() },
            session: optional { $0.score() }, asOf: optional { _ in 1_796_032_800 },
            outcome: optional { .init(winnerAbbr: $0.chance(80) ? $0.code() : nil, text: $0.text(5...40)) },
            status: optional { $0.text(5...100) })
    }

    private mutating func alert() -> PushAlert {
        PushAlert(title: text(0...80), body: text(0...160), sound: chance(50))
    }

    private mutating func attributes() -> LiveActivityAttributes {
        let (home, away) = (team(), team())
        return LiveActivityAttributes(
            matchID: MatchID(Int64.random(in: 1...9_999_999_999, using: &random)),
            startID: StartID(String(random.next(), radix: 36)), home: home, away: away, competition: text(0...40),
            startsAt: Int.random(in: 0...4_000_000_000, using: &random))
    }

    private mutating func team() -> Team {
        let id = Int64.random(in: 1...Int64.max, using: &random)
        return Team(
            id: id, name: text(0...40), code: code(),
            logo: optional { _ in "https://cdn.sportmonks.com/images/cricket/teams/\(id % 32)/\(id).png" })
    }

    // MARK: - Texts

    private mutating func code() -> String {
        isUsual(90) ? ["MI", "CSK", "ENG", "PAK", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "KXIP"].randomElement(using: &random) ?? "MI" : text(0...8)
    }

    /// What is short whenever a match is a match.
    private mutating func isUsual(_ percent: Int) -> Bool { chance(verbosity == .endless ? 50 : percent) }

    private mutating func score() -> String {
        isUsual(95)
            ? "\(Int.random(in: 0...999, using: &random))/\(Int.random(in: 0...10, using: &random))" : text(0...12)
    }

    private mutating func overs() -> String {
        isUsual(95)
            ? "\(Int.random(in: 0...199, using: &random)).\(Int.random(in: 0...6, using: &random))" : text(0...8)
    }

    private mutating func rate() -> String {
        isUsual(95)
            ? "\(Int.random(in: 0...36, using: &random)).\(Int.random(in: 10...99, using: &random))" : text(0...8)
    }

    private mutating func ball() -> String {
        ["•", "1", "2", "3", "4", "5", "6", "W", "wd", "5nb", "b", "4lb", "|", "|"].randomElement(using: &random) ?? "•"
    }

    /// So many characters, or more by verbosity; of one script or a mixture.
    private mutating func text(_ usual: ClosedRange<Int>) -> String {
        let length = Int.random(in: usual, using: &random)
        let factor =
            switch verbosity {
            case .ordinary: 1
            case .wordy: Int.random(in: 1...3, using: &random)
            case .swollen: Int.random(in: 1...20, using: &random)
            case .endless: chance(15) ? 200 : 1
            }
        let isPlain = chance(verbosity == .ordinary ? 85 : 40)
        let alphabet = isPlain ? Self.plain : Self.alphabets.randomElement(using: &random) ?? Self.plain
        var result = ""
        for _ in 0..<length * factor { result += alphabet.randomElement(using: &random) ?? "" }
        return result
    }

    private static let plain = "abcdefghijklmnoprstuvw ABCDKMRS".map(String.init)

    /// What a character can be: plain, escaped in JSON, of many bytes, of many scalars, right to left, invisible.
    private static let alphabets: [[String]] = [
        ["é", "ñ", "Ø", "ß", "ā", "ž", " "],
        ["\"", "\\", "/", "\u{1}", "\n", "\t", "\u{1f}", "\u{7f}"],
        ["🏏", "👨‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏿", "🇮🇳", "🇵🇰", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "❤️"],
        ["e\u{301}\u{302}\u{303}", "a\u{328}\u{301}", "o\u{308}", "\u{301}"],
        ["क्षि", "नी", "தி", "ක්‍ෂ", "ज़", " "],
        ["م", "ح", "مّ", "د", "ש", "ל", "و\u{200C}", " "],
        ["\u{202E}", "\u{2066}", "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{0600}", "\u{2028}", "\u{FFFD}"],
        ["a", "é", "🏏", "🇮🇳", "e\u{301}", "👨‍👩‍👧‍👦", "\"", "م", "\u{200D}", " ", ".", ". "],
    ]
}
