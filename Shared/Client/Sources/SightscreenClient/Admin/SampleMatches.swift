public import SightscreenModels

/// Three matches of one day, for canned answers, previews and tests of views.
public enum SampleMatches {
    /// - Parameters:
    ///   - now: the present, in seconds since 1970.
    ///   - isClose: whether the live match is in its last over.
    public static func all(now: Int, isClose: Bool = false) -> [MatchItem] {
        [completed(now: now), live(now: now, isClose: isClose), upcoming(now: now)]
    }

    /// A match in the second innings; in its last over when `isClose` is true.
    public static func live(now: Int, isClose: Bool = false) -> MatchItem {
        match(
            1_304_076, .live, startsAt: now - 9_000, home: mumbai, away: chennai, venue: "Wankhede Stadium, Mumbai",
            displayState: chase(isClose: isClose))
    }

    public static func upcoming(now: Int) -> MatchItem {
        match(
            1_304_077, .upcoming, startsAt: now + 7_200, home: rajasthan, away: kolkata,
            venue: "Sawai Mansingh Stadium, Jaipur")
    }

    public static func completed(now: Int) -> MatchItem {
        var match = match(
            1_304_075, .completed, startsAt: now - 28_800, home: kolkata, away: mumbai, venue: "Eden Gardens, Kolkata",
            displayState: result)
        match.note = "Kolkata Knight Riders won by 7 wickets"
        match.winnerId = kolkata.id
        return match
    }

    private static func side(_ id: Int, _ name: String, _ abbr: String) -> MatchItem.Side {
        MatchItem.Side(
            id: String(id), name: name, abbr: abbr,
            logo: "https://cdn.sportmonks.com/images/cricket/teams/\(id)/\(id).png")
    }

    private static let mumbai = side(6, "Mumbai Indians", "MI")
    private static let chennai = side(2, "Chennai Super Kings", "CSK")
    private static let rajasthan = side(7, "Rajasthan Royals", "RR")
    private static let kolkata = side(5, "Kolkata Knight Riders", "KKR")

    private static func match(
        _ id: Int64, _ status: MatchStatus, startsAt: Int, home: MatchItem.Side, away: MatchItem.Side, venue: String,
        displayState: ContentState? = nil
    ) -> MatchItem {
        MatchItem(
            id: MatchID(id), leagueId: "1", competition: "Indian Premier League", round: "12th Match", format: "T20",
            status: status, startsAt: startsAt, home: home, away: away, venue: venue, note: nil, winnerId: nil,
            displayState: displayState)
    }

    private static func chase(isClose: Bool) -> ContentState {
        let (score, overs) = isClose ? ("165/7", "19.2") : ("87/4", "12.3")
        return ContentState(
            version: 1, matchDisplayState: .live, matchSentiment: isClose ? .tense : .neutral,
            compactLeading: .init(teamAbbr: "MI", score: score),
            compactTrailing: .init(overs: overs, runRate: isClose ? "8.53" : "6.96"), minimal: nil,
            expanded: .init(
                title: "MI v CSK", subtitle: "IPL · Match 12",
                innings: [
                    .init(teamAbbr: "CSK", score: "171/6", overs: "20.0"),
                    .init(teamAbbr: "MI", score: score, overs: overs),
                ],
                batters: [
                    .init(name: "Rohit Sharma", score: "45 (32)", strikeRate: "140.6", onStrike: true),
                    .init(name: "Tilak Varma", score: "12 (9)", strikeRate: "133.3", onStrike: false),
                ],
                bowler: .init(name: "Deepak Chahar", figures: "3.2-0-27-2", economy: "8.10"),
                recentBalls: ["1", "W", "4", "•", "wd", "6"], target: "172",
                requiredRunRate: isClose ? "10.50" : "11.33",
                equation: isClose ? "MI need 7 off 4" : "MI need 85 off 45", lastEvent: nil, status: nil))
    }

    private static let result = ContentState(
        version: 9, matchDisplayState: .completed, matchSentiment: .neutral,
        compactLeading: .init(teamAbbr: "KKR", score: "152/3"), compactTrailing: .init(overs: "17.4", runRate: "8.60"),
        minimal: nil,
        expanded: .init(
            title: "KKR v MI", subtitle: "IPL · Match 11",
            innings: [
                .init(teamAbbr: "MI", score: "148/9", overs: "20.0"),
                .init(teamAbbr: "KKR", score: "152/3", overs: "17.4"),
            ],
            batters: [], bowler: nil, recentBalls: [], target: nil, requiredRunRate: nil, equation: nil, lastEvent: nil,
            status: "KKR won by 7 wickets"))
}
