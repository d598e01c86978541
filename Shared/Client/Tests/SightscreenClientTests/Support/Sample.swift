import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// A match in the middle of a chase, with its user and phone.
enum Sample {
    static let now = 1_800_000_000
    static let user = UserID("asha")
    static let device = DeviceID("6F9619FF-8B86-D011-B42D-00C04FC964FF")
    static let profile = DeviceProfile(
        deviceID: device, osVersion: "18.4", appVersion: "1.0.0",
        environment: .sandbox, bootedAt: now - 86_400)

    static func state(
        version: Int = 1, _ displayState: MatchDisplayState = .live, score: String = "87/6", status: String? = nil
    ) -> ContentState {
        ContentState(
            version: version, matchDisplayState: displayState, matchSentiment: .tense,
            compactLeading: .init(teamAbbr: "MI", score: score),
            compactTrailing: .init(overs: "12.3", runRate: "6.96"),
            minimal: nil,
            expanded: .init(
                title: "MI v CSK", subtitle: "IPL · Match 12",
                innings: [
                    .init(teamAbbr: "CSK", score: "171/10", overs: "19.4"),
                    .init(teamAbbr: "MI", score: score, overs: "12.3"),
                ],
                batters: [.init(name: "Rohit Sharma", score: "45 (32)", strikeRate: "140.6", onStrike: true)],
                bowler: .init(name: "Deepak Chahar", figures: "3.3-0-27-2", economy: "7.71"),
                recentBalls: ["1", "W", "4", "•", "wd", "6"], target: "172", requiredRunRate: "11.33",
                equation: "MI need 85 off 45", lastEvent: .init(kind: .wicket, text: "Pollard c Dhoni b Chahar 12 (9)"),
                status: status))
    }

    static func match(_ id: Int64 = 1_304_076, _ status: MatchStatus = .live) -> MatchItem {
        MatchItem(
            id: MatchID(id), leagueId: "1", competition: "Indian Premier League", round: "12th Match", format: "T20",
            status: status, startsAt: now - 3_600, home: .init(id: "6", name: "Mumbai Indians", abbr: "MI"),
            away: .init(id: "2", name: "Chennai Super Kings", abbr: "CSK"), venue: "Wankhede", note: nil, winnerId: nil,
            displayState: status == .upcoming ? nil : state(status == .live ? .live : .completed))
    }

    static func attributes(_ match: MatchID, start: String) -> LiveActivityAttributes {
        LiveActivityAttributes(
            matchID: match, startID: StartID(start), home: Team(id: 6, name: "Mumbai Indians", code: "MI"),
            away: Team(id: 2, name: "Chennai Super Kings", code: "CSK"), competition: "Indian Premier League",
            startsAt: now - 3_600)
    }
}
