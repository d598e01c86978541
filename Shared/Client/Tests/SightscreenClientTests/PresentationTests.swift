import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// The presentations that a phone shows. `CardLayoutTests` has their content.
@Suite struct PresentationTests {
    @Test func thereAreSixAndStandByAndNoneIsEverEmptyInPlay() {
        let card = MatchCard(
            state: Sample.state(), attributes: Sample.attributes(MatchID(1_304_076), start: "s-1"), isStale: false)
        #expect(Presentation.allCases.count == 7)
        for presentation in Presentation.allCases {
            #expect(!card.layout(presentation).rows.isEmpty, "\(presentation)")
        }
    }

    /// The layout measures every gap. Eight points more in an HStack or a Spacer would cut a text, and a spacer in the
    /// compact island would widen it.
    @Test func theWidgetLeavesNoRoomOfItsOwn() throws {
        let widget = try Sources.lines("Shared/Client/Sources/SightscreenClient/Apple/MatchLiveActivityWidget.swift")
        for line in widget where line.contains("Spacer(") || line.contains("Stack(") {
            #expect(line.contains("Spacer(minLength: 0)") || line.contains("spacing: 0"), "\(line)")
        }
        let spacer = try #require(widget.firstIndex { $0.contains("Spacer(") })
        #expect(widget[..<spacer].suffix(3).contains { $0.contains("if !row.isCentred") })
        #expect(widget.count { $0.contains("sOnBaseline ? .firstTextBaseline : .center") } == 2)
    }

    @Test func aTouchTellsTheAppWhichMatch() throws {
        let match = MatchID(1_304_076)
        let card = MatchCard(
            state: Sample.state(), attributes: Sample.attributes(match, start: "s-1"), isStale: false)
        #expect(card.link == "sightscreen://match/1304076")
        #expect(MatchID(link: card.link) == match)
        let widget = try Sources.lines("Shared/Client/Sources/SightscreenClient/Apple/MatchLiveActivityWidget.swift")
        // The two are the Lock Screen's card and the island.
        #expect(widget.count { $0.contains(".widgetURL(URL(string: card.link))") } == 2)
    }

    @Test(arguments: [
        "", "sightscreen://match/", "sightscreen://match/0", "sightscreen://match/-7", "sightscreen://match/007",
        "sightscreen://match/7/", "sightscreen://match/7?a=b", "sightscreen://match/7 ", "sightscreen://match/٧",
        "sightscreen://match/99999999999999999999", "sightscreen://team/7", "sightscreen:match/7", "https://match/7",
        "x-sightscreen://match/7", "SIGHTSCREEN://match/7", "7",
    ])
    func noOtherAddressNamesAMatch(_ address: String) { #expect(MatchID(link: address) == nil) }

    /// The widget draws the card's layouts, and reads no text of a content state.
    @Test func theWidgetDecidesNothing() throws {
        let widget = try Sources.lines("Shared/Client/Sources/SightscreenClient/Apple/MatchLiveActivityWidget.swift")
            .filter { !$0.contains("//") }.joined(separator: "\n")
        for name in [
            "expanded.innings", "batters", "bowler", "teamAbbr", "equation", "lastEvent", ".status",
            "matchDisplayState",
        ] {
            #expect(!widget.contains(name), "\(name)")
        }
        for presentation in Presentation.allCases { #expect(widget.contains(".\(presentation)"), "\(presentation)") }
    }

    /// With one Live Activity, compact leading and trailing appear together. With several, iOS shows one in minimal and
    /// the other in compact.
    @Test func oneActivityIsCompactAndASecondMinimal() async throws {
        let phone = try await Phone(Sample.match(), Sample.match(7))
        await phone.gateway.setFollows([Sample.match().id, MatchID(7)], of: Sample.user)
        try await phone.launch()
        let first = try await phone.pushStart(Sample.match().id)
        #expect(await phone.kit.screen.island == DynamicIsland(compact: first, minimal: nil, expanded: first))
        phone.clock.advance(seconds: 10)
        #expect(await phone.kit.screen.island == DynamicIsland(compact: first, minimal: nil, expanded: nil))
        let second = try await phone.pushStart(MatchID(7), start: "s-2")
        let island = await phone.kit.screen.island
        #expect(island.compact == first && island.minimal == second && island.expanded == second)
        await phone.end()
    }
}
