public import SightscreenModels

extension ContentState {
    /// A state in the middle of a chase.
    public static func pretend(
        version: Int = 118, team: String = "MI", score: String = "87/6", overs: String = "12.3",
        title: String = "MI v CSK", batter: String = "Rohit Sharma", event: String = "Pollard c Dhoni b Chahar 12 (9)",
        state: MatchDisplayState = .live
    ) -> ContentState {
        ContentState(
            version: version, matchDisplayState: state, matchSentiment: .tense,
            compactLeading: .init(teamAbbr: team, score: score),
            compactTrailing: .init(overs: overs, runRate: "6.96"), minimal: .init(teamAbbr: team, score: score),
            expanded: .init(
                title: title, subtitle: "IPL · Match 12",
                innings: [
                    .init(teamAbbr: "CSK", score: "171/10", overs: "19.4"),
                    .init(teamAbbr: team, score: score, overs: overs),
                ],
                batters: [
                    .init(name: batter, score: "45 (32)", strikeRate: "140.6", onStrike: true),
                    .init(name: "Tim David", score: "4 (3)", strikeRate: "133.3", onStrike: false),
                ], bowler: .init(name: "Deepak Chahar", figures: "3.3-0-27-2", economy: "7.71"),
                recentBalls: ["1", "W", "4", "•", "wd", "6"], target: "172", requiredRunRate: "11.33",
                equation: "MI need 85 off 45", lastEvent: .init(kind: .wicket, text: event), status: nil))
    }
}
