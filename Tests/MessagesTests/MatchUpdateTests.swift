import FoundationEssentials
import Messages
import SightscreenModels
import Testing

@Suite struct MatchUpdateTests {
    /// While releases run side by side an event-bus may say nothing of breaks: those that the display state names are
    /// known.
    @Test(arguments: [
        ("live", false), ("inningsBreak", true), ("suspended", true), ("completed", false), ("scheduled", false),
    ])
    func anUpdateOfAnOlderReleaseIsInABreakByItsDisplayState(state: String, isBreak: Bool) throws {
        let text = """
            {"matchID":"7","version":3,"stamp":100,"priority":5,"relevance":50,"contentState":{"schema":1,"version":3,\
            "matchDisplayState":"\(state)","matchSentiment":"neutral","compactLeading":{"teamAbbr":"MI","score":"87/6"},\
            "compactTrailing":{"overs":"12.3","runRate":"6.96"},"expanded":{"title":"MI v CSK","subtitle":"IPL",\
            "innings":[],"batters":[],"recentBalls":[],"status":"Lunch"}}}
            """
        let update = try JSONDecoder().decode(MatchUpdate.self, from: Data(text.utf8))
        #expect(update.phase == nil && update.retracted == nil && update.isInBreak == isBreak)
    }

    @Test(arguments: [true, false]) func whatTheEventBusSaysIsWhatHolds(isBreak: Bool) throws {
        let update = MatchUpdate(
            matchID: MatchID(7), version: MatchVersion(3), stamp: Stamp(100),
            contentState: ContentState(
                version: 3, matchDisplayState: isBreak ? .live : .inningsBreak, matchSentiment: .neutral,
                compactLeading: .init(teamAbbr: "MI", score: "87/6"),
                compactTrailing: .init(overs: "12.3", runRate: "6.96"), minimal: nil,
                expanded: .init(
                    title: "MI v CSK", subtitle: "IPL", innings: [], batters: [], bowler: nil, recentBalls: [],
                    target: nil, requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil)),
            priority: 5, alert: nil, relevance: 50, phase: "lunch", isBreak: isBreak, retracted: ["six:b1"])
        let read = try JSONDecoder().decode(MatchUpdate.self, from: try JSONEncoder().encode(update))
        #expect(read == update && read.isInBreak == isBreak)
    }
}
