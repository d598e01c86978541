import APNsProtocol
import ActivitySimulator
import Messages
import Sightscreen
import SightscreenClient
import Testing

/// "Required presentations": each row, filled from what a push carried and from nothing else.
@Suite struct PresentationTests {
    private static let presentations = MatchPresentations(
        state: Sample.state(), attributes: Sample.attributes(MatchID(1_304_076), start: "s-1"), isStale: false)

    /// Required presentations · Compact Leading, Compact Trailing, Minimal, Expanded, Lock Screen, Watch/CarPlay .small.
    @Test(arguments: [
        (Presentation.compactLeading, ["MI", "87/6"]),
        (.compactTrailing, ["12.3", "6.96"]),
        (.minimal, ["MI", "87/6"]),
        (.small, ["MI", "87/6", "12.3", "MI need 85 off 45"]),
    ])
    func aSmallPresentationShowsTheTextsAsTheyCame(presentation: Presentation, texts: [String]) {
        #expect(Self.presentations.texts(of: presentation) == texts)
    }

    @Test(arguments: [Presentation.expanded, .lockScreen])
    func aLargePresentationShowsEverything(presentation: Presentation) {
        let texts = Self.presentations.texts(of: presentation)
        let wanted = [
            "MI v CSK", "IPL · Match 12", "171/10", "Rohit Sharma", "45 (32)", "Deepak Chahar", "3.3-0-27-2", "•",
            "MI need 85 off 45", "11.33", "Pollard c Dhoni b Chahar 12 (9)",
        ]
        #expect(wanted.allSatisfy(texts.contains))
    }

    /// The widget cannot be compiled here: at least it names each text that there is.
    @Test func theWidgetHasAPlaceForEveryText() throws {
        let state = Sample.state()
        let (expanded, event) = (state.expanded, ContentState.LastEvent(kind: .wicket, text: ""))
        let parts: [Any?] = [
            state.compactLeading, state.compactTrailing, expanded, expanded.innings.first, expanded.batters.first,
            expanded.bowler,
        ]
        let names = try parts.flatMap { try Mirror(reflecting: #require($0)).children.compactMap(\.label) }
        #expect(names.count > 20)
        // Of an event it shows the text, not of what kind it was.
        #expect(Mirror(reflecting: event).children.compactMap(\.label) == ["kind", "text"])
        let widget = try Sources.lines("Shared/SightscreenClient/Apple/MatchLiveActivityWidget.swift")
            .filter { !$0.contains("//") }.joined(separator: "\n")
        for name in names + ["text", "minimal.teamAbbr", "minimal.score", "small.line"] {
            let ends = widget.ranges(of: ".\(name)").map(\.upperBound)
            #expect(ends.contains { !(widget[$0].isLetter || widget[$0].isNumber) }, "\(name)")
        }
    }

    @Test func thereAreSixAndNoneIsEverEmptyInPlay() {
        #expect(Presentation.allCases.count == 6)
        for presentation in Presentation.allCases {
            #expect(!Self.presentations.texts(of: presentation).isEmpty, "\(presentation)")
        }
    }

    /// Content state: "minimal may be absent: compactLeading takes its place".
    @Test func minimalFallsBackOnCompactLeading() {
        var state = Sample.state()
        state.minimal = .init(teamAbbr: "MI", score: "87")
        let attributes = Sample.attributes(MatchID(7), start: "")
        let own = MatchPresentations(state: state, attributes: attributes, isStale: false)
        #expect(own.minimal.score == "87")
        state.minimal = nil
        let none = MatchPresentations(state: state, attributes: attributes, isStale: true)
        #expect(none.minimal == none.compactLeading)
        #expect(none.isStale)
    }

    /// "compact leading and trailing appear together when only one Live Activity is running. If multiple are active, iOS
    /// picks one for the Minimal presentation and shows the other in Compact."
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
