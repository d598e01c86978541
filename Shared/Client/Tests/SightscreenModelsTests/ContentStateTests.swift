import FoundationEssentials
import SightscreenModels
import Testing

/// The content state is the contract between backend and app.
@Suite struct ContentStateTests {
    /// A whole content state. A release that decodes it today must always decode it.
    static let example = """
        { "schema": 1, "version": 118, "matchDisplayState": "live", "matchSentiment": "tense",
          "compactLeading": { "teamAbbr": "MI", "score": "87/6" }, "compactTrailing": { "overs": "12.3", "runRate": "6.96" },
          "minimal": { "teamAbbr": "MI", "score": "87/6" },
          "expanded": { "title": "MI v CSK", "subtitle": "IPL · Match 12",
            "innings": [ { "teamAbbr": "CSK", "score": "171", "allOut": true, "overs": "19.4" }, { "teamAbbr": "MI", "score": "87/6", "overs": "12.3" } ],
            "batters": [ { "name": "Rohit Sharma", "score": "45 (32)", "strikeRate": "140.6", "onStrike": true } ],
            "bowler": { "name": "Deepak Chahar", "figures": "3.3-0-27-2", "economy": "7.71" },
            "recentBalls": ["1", "W", "4", "•", "wd", "6"], "target": "172", "requiredRunRate": "11.33", "equation": "MI need 85 off 45",
            "lastEvent": { "kind": "wicket", "ball": "12.3", "text": "Pollard c Dhoni b Chahar 12 (9)" }, "lastWicket": "Pollard 12 (9) · 87/6 (12.3)", "status": null } }
        """

    /// A content state as release 1 wrote it, which a phone may have stored.
    static let release1 = """
        { "schema": 1, "version": 118, "matchDisplayState": "live", "matchSentiment": "tense",
          "compactLeading": { "teamAbbr": "MI", "score": "87/6" }, "compactTrailing": { "overs": "12.3", "runRate": "6.96" },
          "minimal": { "teamAbbr": "MI", "score": "87/6" },
          "expanded": { "title": "MI v CSK", "subtitle": "IPL · Match 12",
            "innings": [ { "teamAbbr": "CSK", "score": "171/10", "overs": "19.4" }, { "teamAbbr": "MI", "score": "87/6", "overs": "12.3" } ],
            "batters": [ { "name": "Rohit Sharma", "score": "45 (32)", "strikeRate": "140.6", "onStrike": true } ],
            "bowler": { "name": "Deepak Chahar", "figures": "3.3-0-27-2", "economy": "7.71" },
            "recentBalls": ["1", "W", "4", "•", "wd", "6"], "target": "172", "requiredRunRate": "11.33", "equation": "MI need 85 off 45",
            "lastEvent": { "kind": "wicket", "text": "Pollard c Dhoni b Chahar 12 (9)" }, "status": null,
            "spoken": "MI 87 for 6 after 12.3 overs." } }
        """

    private func decode(_ text: String) throws -> ContentState {
        try JSONDecoder().decode(ContentState.self, from: Data(text.utf8))
    }

    @Test func decodesTheDesignsExampleAndWritesItBack() throws {
        let state = try decode(Self.example)
        #expect(state.expanded.lastEvent?.kind.known == .wicket)
        #expect(state.expanded.innings.map(\.score) == ["171", "87/6"])
        #expect(state.expanded.innings.map(\.allOut) == [true, nil] && state.expanded.lastEvent?.ball == "12.3")
        #expect(try JSONDecoder().decode(ContentState.self, from: JSONEncoder().encode(state)) == state)
    }

    @Test func takesAStateOfAnEarlierRelease() throws {
        let state = try decode(Self.release1)
        #expect(state.expanded.innings.map(\.score) == ["171/10", "87/6"] && state.expanded.lastWicket == nil)
    }

    @Test func takesUnknownNamesOfANewerBackendAsOther() throws {
        let newer = Self.example.replacing("\"live\"", with: "\"superOver\"").replacing("\"tense\"", with: "\"wild\"")
            .replacing("\"kind\": \"wicket\"", with: "\"kind\": \"powerplay\"").replacing(
                "\"schema\": 1,", with: "\"schema\": 2, \"new\": {},")
        let state = try decode(newer)
        #expect(state.matchDisplayState == .other && state.matchSentiment == .other)
        #expect(state.expanded.lastEvent?.kind.known == nil && state.expanded.lastEvent?.kind.text == "powerplay")
    }

    @Test func needsNoOptionalKey() throws {
        let state = try decode(
            """
            {"schema":1,"version":1,"matchDisplayState":"scheduled","matchSentiment":"neutral",
             "compactLeading":{"teamAbbr":"RR","score":""},"compactTrailing":{"overs":"0.0","runRate":""},
             "expanded":{"title":"RR v KKR","subtitle":"IPL","innings":[],"batters":[],"recentBalls":[]}}
            """)
        #expect(state.minimal == nil && state.expanded.bowler == nil)
    }
}
