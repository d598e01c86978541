import APNsProtocol
import FoundationEssentials
import Sightscreen
import Testing

struct LiveActivityPayloadTests {
    @Test func aStartCarriesAttributesAlertAndTheWishForAToken() throws {
        try expectGolden(Sample.start.encode().bytes, "start.json")
    }

    @Test func aRoutineUpdateCarriesNoAlert() throws {
        try expectGolden(Sample.update.encode().bytes, "update.json")
    }

    @Test func aWicketHasTheDefaultSound() throws {
        try expectGolden(Sample.wicket.encode().bytes, "wicket.json")
    }

    @Test func anEndCarriesTheFinalContentAndWhenToLeave() throws {
        try expectGolden(Sample.end.encode().bytes, "end.json")
    }

    @Test func theAppIsWokenInSilence() throws {
        try expectGolden(AppPayload.silent(matchID: MatchID(1_304_076)).encode().bytes, "silent.json")
    }

    @Test func aNotificationShowsTitleAndBody() throws {
        let alert = PushAlert(title: "MI v CSK is live", body: "Open to follow it on your Lock Screen")
        try expectGolden(AppPayload.visible(matchID: MatchID(1_304_076), alert: alert).encode().bytes, "visible.json")
    }

    @Test func onlyAWicketSounds() throws {
        let silent = MatchAlert(title: "50", body: "", kind: .milestone, value: 50, sound: false, eventAt: 1)
        let payload = LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: Sample.state, staleAt: nil, relevance: nil, alert: PushAlert(silent))
        let text = String(decoding: try payload.encode().bytes, as: UTF8.self)
        #expect(!text.contains("sound"))
    }

    @Test func aScoreThatIsNoNumberIsLeftOut() throws {
        let payload = LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: Sample.state, staleAt: nil, relevance: .nan)
        #expect(!String(decoding: try payload.encode().bytes, as: UTF8.self).contains("relevance-score"))
    }

    @Test func equalPayloadsHaveEqualBytes() throws {
        #expect(try Sample.start.encode() == Sample.start.encode())
    }

    @Test func whatFitsIsNotCut() throws {
        let payload = try Sample.start.encode()
        #expect(payload.cuts.isEmpty)
        #expect(try decodedState(payload.bytes) == Sample.state)
    }

    /// As deploy/docs/content-state.md tells it.
    @Test func theOrderOfTheCutsIsTheOneStated() {
        #expect(
            PayloadCut.allCases == [
                .minimal, .spokenSentences, .recentBalls, .spoken, .lastEvent, .olderBalls, .subtitle, .surnames,
                .target, .requiredRunRate, .names, .lists, .sentences, .equation, .bowler, .play, .everything,
            ])
        #expect(PayloadCut.allCases.filter(\.servesAim).last == .lastEvent)
    }

    /// The kinds of text that a cut meets: plain, escaped, many bytes a character, one character of many scalars.
    static let texts = [
        "a", "\"", "\\", "\u{1}", "\n", "é", "🏏", "👨‍👩‍👧‍👦", "🇮🇳", "e\u{301}\u{302}\u{303}", "நி", "/", "\u{2028}", "\u{7f}",
    ]

    @Test(arguments: texts, [7, 32, 33, 200])
    func everyPayloadFitsWhateverTheTexts(unit: String, count: Int) throws {
        let text = String(repeating: unit, count: count)
        let state = Sample.swollen(with: text)
        let alert = PushAlert(title: text, body: text, sound: true)
        let payloads: [LiveActivityPayload] = [
            .start(
                stamp: Stamp(.max), contentState: state, staleAt: .max, relevance: 0.1, alert: alert,
                attributesType: "LiveActivityAttributes", attributes: Sample.attributes(with: text)),
            .update(
                stamp: Stamp(.max), contentState: state, staleAt: .max, relevance: -0.123456789012345, alert: alert),
            .end(stamp: Stamp(.max), contentState: state, dismissAt: .max),
        ]
        for payload in payloads {
            let encoded = try payload.encode()
            #expect(encoded.bytes.count <= PushPayload.bytesMax)
            // Still what it was before: decodable, and no character of it broken.
            let shown = try decodedState(encoded.bytes)
            #expect(shown.version == .max)
            let kept = shown.compactLeading.score
            #expect(kept.dropLast(kept.hasSuffix("…") ? 1 : 0).allSatisfy { text.contains($0) })
        }
    }

    @Test func aSingleEndlessCharacterBecomesAnEllipsis() throws {
        let endless = "e" + String(repeating: "\u{301}", count: 5_000)
        let payload = LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: Sample.swollen(with: endless), staleAt: nil, relevance: nil)
        let encoded = try payload.encode()
        // Without a sentence there is none to keep.
        #expect(encoded.cuts == PayloadCut.allCases.filter { ![.spokenSentences, .subtitle, .surnames].contains($0) })
        #expect(try decodedState(encoded.bytes).compactLeading.teamAbbr == "…")
    }

    /// A routine update that is longer and longer: what each step towards the aim leaves.
    @Test func aRoutineUpdateIsBroughtToItsAim() throws {
        var state = Sample.state
        state.expanded.recentBalls = ["1", "W", "4", "•", "wd", "6", "1", "1"]
        var longest = state
        state.expanded.spoken = "MI 87 for 6 after 12.3 overs. MI need 85 off 45 balls."
        var steps: [[PayloadCut]] = []
        // A title of every length: more of the rest has to go.
        state.expanded.innings = []
        for length in 0...400 {
            state.expanded.title = String(repeating: "x", count: length)
            let push = try update(state)
            if push.bytes.count > PushPayload.routineBytesAim { break }
            if push.cuts != steps.last { steps.append(push.cuts) }
            longest = state
        }
        let all: [PayloadCut] = [.minimal, .spokenSentences, .recentBalls, .spoken, .lastEvent]
        // Each step takes one cut more.
        let first = try #require(steps.first).count
        #expect(first <= 3 && steps == (first...all.count).map { Array(all.prefix($0)) })
        let shown = try decodedState(try update(longest).bytes).expanded
        #expect(shown.subtitle == state.expanded.subtitle && shown.batters == state.expanded.batters)
        #expect(shown.target == state.expanded.target && shown.requiredRunRate == state.expanded.requiredRunRate)
        #expect(shown.recentBalls == ["4", "•", "wd", "6", "1", "1"])
        #expect(shown.equation == state.expanded.equation && shown.title == longest.expanded.title)
        #expect(shown.lastEvent == nil && shown.spoken == nil)
    }

    @Test func theAimCostsNothingThatCannotBeMissed() throws {
        // Longer than the aim whatever is cut: batters, score, equation and status stay whole.
        var state = Sample.state
        state.expanded.status = String(repeating: "rain ", count: 300)
        let push = try update(state)
        #expect(push.cuts.last == .lastEvent)
        #expect(push.bytes.count > PushPayload.routineBytesAim)
        let shown = try decodedState(push.bytes)
        #expect(shown.expanded.status == state.expanded.status)
        #expect(shown.expanded.equation == state.expanded.equation)
        #expect(shown.expanded.innings == state.expanded.innings)
    }

    @Test func anAlertAStartAndAnEndHaveNoAim() throws {
        var state = Sample.state
        state.expanded.status = String(repeating: "x", count: 1_000)
        let alert = PushAlert(title: "WICKET!", body: "MI 87/7")
        let update = LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: state, staleAt: nil, relevance: nil, alert: alert)
        let end = LiveActivityPayload.end(stamp: Sample.stamp, contentState: state, dismissAt: 1)
        #expect(try update.encode().cuts.isEmpty)
        #expect(try end.encode().cuts.isEmpty)
    }

    @Test func whatIsNotTheSameAsCompactLeadingOrHasNoEquationStays() throws {
        var state = Sample.state
        state.minimal = .init(teamAbbr: "MI", score: "87")
        state.expanded.equation = nil
        state.expanded.status = String(repeating: "x", count: 600)
        let push = try update(state)
        let shown = try decodedState(push.bytes)
        #expect(shown.minimal == state.minimal)
        #expect(shown.expanded.target == "172" && shown.expanded.requiredRunRate == "11.33")
        #expect(push.cuts == [.lastEvent])
    }

    @Test func twoBattersOfOneSurnameKeepTheirNames() throws {
        var state = Sample.state
        state.expanded.batters = ["Shaun Marsh", "Mitchell Marsh"].map {
            .init(name: $0, score: "1 (1)", strikeRate: "100.0", onStrike: $0.hasPrefix("S"))
        }
        state.expanded.status = String(repeating: "x", count: 3_600)
        let shown = try decodedState(try update(state).bytes)
        #expect(shown.expanded.batters.map(\.name) == ["Shaun Marsh", "Mitchell Marsh"])
        #expect(shown.expanded.bowler?.name == "Chahar")
    }

    @Test func aNameOfKilobytesIsShortened() throws {
        var state = Sample.state
        state.expanded.batters[0].name = String(repeating: "Venkataraghavan", count: 300)
        let push = try update(state)
        #expect(push.cuts.last == .names)
        let shown = try decodedState(push.bytes)
        #expect(shown.expanded.batters[0].name == "VenkataraghavanVenkataraghavanVenkataraghavan…")
        #expect(shown.expanded.batters[0].score == "45 (32)")
    }

    @Test func whatAProviderHidesInNamesIsNotShown() throws {
        let hidden = "Mumbai\u{202E} In\u{200B}dians\n"
        let attributes = LiveActivityAttributes(
            matchID: MatchID(1), startID: StartID("s"), home: Team(id: 1, name: hidden, code: "M\u{0}I"),
            away: Team(id: 2, name: String(repeating: "x", count: 10_000), code: "CSK"), competition: hidden,
            startsAt: 0)
        #expect(attributes.homeTeam == "Mumbai Indians" && attributes.homeAbbr == "M I")
        #expect(attributes.awayTeam.count == DisplayText.nameMax)
        let alert = PushAlert(title: hidden, body: String(repeating: "y", count: 10_000))
        #expect(alert.title == "Mumbai Indians" && alert.body.count == 200)
    }

    private func update(_ state: ContentState) throws -> PushPayload {
        try LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: state, staleAt: 1_700_000_600, relevance: 75
        ).encode()
    }

    @Test func idsOfKilobytesAreRefusedRatherThanCut() {
        let attributes = LiveActivityAttributes(
            matchID: MatchID(1), startID: StartID(String(repeating: "x", count: 5_000)),
            home: Team(id: 1, name: "", code: ""),
            away: Team(id: 2, name: "", code: ""), competition: "", startsAt: 0)
        let payload = LiveActivityPayload.start(
            stamp: Sample.stamp, contentState: Sample.state, staleAt: nil, relevance: nil,
            alert: PushAlert(title: "", body: ""), attributesType: "A", attributes: attributes)
        #expect(throws: PayloadError.self) { try payload.encode() }
    }

    private func decodedState(_ bytes: [UInt8]) throws -> ContentState {
        struct Push: Decodable {
            struct APS: Decodable {
                var state: ContentState
                enum CodingKeys: String, CodingKey { case state = "content-state" }
            }
            var aps: APS
        }
        return try JSONDecoder().decode(Push.self, from: Data(bytes)).aps.state
    }
}
