import APNsProtocol
import SightscreenModels

/// A state in the middle of a chase, and what belongs to it.
enum Sample {
    static let stamp = Stamp(1_700_000_000)

    static let state = ContentState(
        version: 118, matchDisplayState: .live, matchSentiment: .tense,
        compactLeading: .init(teamAbbr: "MI", score: "87/6"), compactTrailing: .init(overs: "12.3", runRate: "6.96"),
        minimal: .init(teamAbbr: "MI", score: "87/6"),
        expanded: .init(
            title: "MI v CSK", subtitle: "IPL · Match 12",
            innings: [
                .init(teamAbbr: "CSK", score: "171", overs: "19.4", allOut: true),
                .init(teamAbbr: "MI", score: "87/6", overs: "12.3"),
            ],
            batters: [.init(name: "R Sharma", score: "45 (32)", strikeRate: "140.6", onStrike: true)],
            bowler: .init(name: "Chahar", figures: "3.3-0-27-2", economy: "7.71"),
            recentBalls: ["1", "W", "4", "•", "wd", "6"], target: "172", requiredRunRate: "11.33",
            equation: "MI need 85 off 45",
            lastEvent: .init(kind: .wicket, ball: "12.3", text: "Pollard c Dhoni b Chahar 12 (9)"),
            lastWicket: "Pollard 12 (9) · 87/6 (12.3)", partnership: "0 (0)", status: nil))

    static let attributes = LiveActivityAttributes(
        matchID: MatchID(1_304_076), startID: StartID("s-1"),
        home: Team(id: 6, name: "Mumbai Indians", code: "MI"),
        away: Team(id: 2, name: "Chennai Super Kings", code: "CSK"), competition: "Indian Premier League",
        startsAt: 1_699_990_200)

    static let start = LiveActivityPayload.start(
        stamp: stamp, contentState: state, staleAt: 1_700_000_600, relevance: 75,
        alert: PushAlert(title: "MI v CSK", body: "MI 87/6 (12.3)"), attributesType: "LiveActivityAttributes",
        attributes: attributes)

    static let update = LiveActivityPayload.update(
        stamp: stamp, contentState: state, staleAt: 1_700_000_600, relevance: 75)

    static let wicket = LiveActivityPayload.update(
        stamp: stamp, contentState: state, staleAt: 1_700_000_600, relevance: 82.5,
        alert: PushAlert(title: "Wicket! MI 87/6", body: "Pollard c Dhoni b Chahar 12 (9)", sound: true))

    static let end = LiveActivityPayload.end(stamp: stamp, contentState: state, dismissAt: 1_700_000_900)

    /// A state in which every text is this one and every list longer than it ever is.
    static func swollen(with text: String) -> ContentState {
        let pair = ContentState.CompactLeading(teamAbbr: text, score: text)
        return ContentState(
            version: .max, matchDisplayState: .inningsBreak, matchSentiment: .dominant, compactLeading: pair,
            compactTrailing: .init(overs: text, runRate: text), minimal: pair,
            expanded: .init(
                title: text, subtitle: text,
                innings: Array(repeating: .init(teamAbbr: text, score: text, overs: text), count: 9),
                batters: Array(repeating: .init(name: text, score: text, strikeRate: text, onStrike: false), count: 9),
                bowler: .init(name: text, figures: text, economy: text),
                recentBalls: Array(repeating: text, count: 40), target: text, requiredRunRate: text, equation: text,
                lastEvent: .init(kind: .wicket, ball: "12.3", text: text), lastWicket: text, partnership: text,
                session: text, outcome: .init(winnerAbbr: text, text: text), status: text))
    }

    static func attributes(with text: String) -> LiveActivityAttributes {
        let team = Team(id: .max, name: text, code: text, logo: text)
        return LiveActivityAttributes(
            matchID: MatchID(.max), startID: StartID(String(repeating: "s", count: 64)), home: team, away: team,
            competition: text, startsAt: .max)
    }
}
