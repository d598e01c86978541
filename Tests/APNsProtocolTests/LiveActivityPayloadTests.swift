import APNsProtocol
import FoundationEssentials
import PayloadProperty
import SightscreenModels
import Testing

struct LiveActivityPayloadTests {
    @Test func aStartCarriesAttributesAlertAndTheRequestForAToken() throws {
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
        try expectGolden(AppPayload.reconcile(matchID: MatchID(1_304_076)).encode().bytes, "reconcile.json")
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
                .logos, .target, .minimal, .playerRates, .runRates, .recentBalls, .title, .olderBalls, .subtitle,
                .standing,
                .names,
                .lists, .sentences, .lastWicket, .lastEvent, .equation, .bowler, .play, .everything,
            ])
        #expect(PayloadCut.allCases.filter(\.servesAim).last == .recentBalls)
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
        // A subtitle without a round has none to lose, and an update has no attributes.
        #expect(encoded.cuts == PayloadCut.allCases.filter { ![.logos, .subtitle].contains($0) })
        #expect(try decodedState(encoded.bytes).compactLeading.teamAbbr == "…")
    }

    /// A routine update that is longer and longer: what each step towards the aim leaves.
    @Test func aRoutineUpdateIsBroughtToItsAim() throws {
        var state = Sample.state
        state.expanded.recentBalls = ["1", "W", "|", "4", "•", "wd", "6", "1", "1", "|"]
        var longest = state
        var steps: [[PayloadCut]] = []
        // A subtitle of every length: more of the rest has to go.
        for length in 0...600 {
            state.expanded.subtitle = String(repeating: "x", count: length)
            let push = try update(state)
            if push.bytes.count > PushPayload.routineBytesAim { break }
            if push.cuts != steps.last { steps.append(push.cuts) }
            longest = state
        }
        let all: [PayloadCut] = [.target, .minimal, .playerRates, .runRates, .recentBalls]
        // Each step takes one cut more.
        let first = try #require(steps.first).count
        #expect(first <= 3 && steps == (first...all.count).map { Array(all.prefix($0)) })
        let shown = try decodedState(try update(longest).bytes)
        #expect(
            shown.minimal == nil && shown.expanded.title == state.expanded.title && shown.compactTrailing.runRate == "")
        #expect(shown.expanded.target == nil && shown.expanded.requiredRunRate == nil)
        #expect(shown.expanded.recentBalls == ["4", "•", "wd", "6", "1", "1", "|"])
        #expect(shown.compactLeading == state.compactLeading && shown.compactTrailing.overs == "12.3")
        // All that just happened, what is needed and who is in.
        #expect(shown.expanded.lastEvent == state.expanded.lastEvent)
        #expect(shown.expanded.lastWicket == state.expanded.lastWicket)
        #expect(shown.expanded.equation == state.expanded.equation && shown.expanded.innings == state.expanded.innings)
        #expect(shown.expanded.batters.map(\.score) == state.expanded.batters.map(\.score))
        #expect(shown.expanded.bowler?.figures == state.expanded.bowler?.figures)
        #expect(shown.expanded.subtitle == longest.expanded.subtitle)
    }

    @Test func theAimCostsNothingThatCannotBeMissed() throws {
        // Longer than the aim whatever is cut: what happened, score, equation and status stay whole.
        var state = Sample.state
        state.expanded.status = String(repeating: "rain ", count: 300)
        let push = try update(state)
        #expect(push.cuts.allSatisfy { $0.servesAim })
        #expect(push.bytes.count > PushPayload.routineBytesAim)
        let shown = try decodedState(push.bytes)
        #expect(shown.expanded.status == state.expanded.status)
        #expect(shown.expanded.equation == state.expanded.equation)
        #expect(shown.expanded.innings == state.expanded.innings)
        #expect(shown.expanded.lastEvent == state.expanded.lastEvent)
        #expect(shown.expanded.lastWicket == state.expanded.lastWicket)
    }

    /// What was required then is there, though it may be empty.
    @Test func anAppOfAnEarlierReleaseDecodesWhatIsCut() throws {
        struct Push: Decodable {
            struct APS: Decodable {
                var state: FrozenContentState.Release1
                enum CodingKeys: String, CodingKey { case state = "content-state" }
            }
            var aps: APS
        }
        var state = Sample.state
        for length in [0, 600, 6_000] {
            state.expanded.status = String(repeating: "x", count: length)
            let bytes = try update(state).bytes
            let old = try JSONDecoder().decode(Push.self, from: Data(bytes)).aps.state
            #expect(old.version == 118 && old.compactLeading.score == "87/6")
            #expect(old.expanded.title == (length < 4_000 ? "MI v CSK" : ""))
        }
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
        state.expanded.status = String(repeating: "x", count: 900)
        let push = try update(state)
        let shown = try decodedState(push.bytes)
        #expect(shown.minimal == state.minimal)
        #expect(shown.expanded.target == "172" && shown.expanded.requiredRunRate == "11.33")
        #expect(push.cuts == [.playerRates, .runRates])
    }

    @Test func aStartLosesItsLogosBeforeAnythingElse() throws {
        func start(_ state: ContentState) throws -> (PushPayload, LiveActivityAttributes) {
            struct Push: Decodable {
                struct APS: Decodable { var attributes: LiveActivityAttributes }
                var aps: APS
            }
            let logo = "https://cdn.sportmonks.com/images/cricket/teams/6/6.png"
            let push = try LiveActivityPayload.start(
                stamp: Sample.stamp, contentState: state, staleAt: nil, relevance: nil,
                alert: PushAlert(title: "MI v CSK", body: "MI 87/6"), attributesType: "LiveActivityAttributes",
                attributes: LiveActivityAttributes(
                    matchID: MatchID(1), startID: StartID("s"),
                    home: Team(id: 6, name: "Mumbai Indians", code: "MI", logo: logo),
                    away: Team(
                        id: 2, name: "Chennai Super Kings", code: "CSK",
                        logo: logo + String(repeating: "x", count: LiveActivityAttributes.logoBytesMax)),
                    competition: "Indian Premier League", startsAt: 0)
            ).encode()
            return (push, try JSONDecoder().decode(Push.self, from: Data(push.bytes)).aps.attributes)
        }
        var state = Sample.state
        let (whole, attributes) = try start(state)
        #expect(whole.cuts.isEmpty)
        #expect(attributes.homeLogo == "https://cdn.sportmonks.com/images/cricket/teams/6/6.png")
        #expect(attributes.awayLogo == nil, "an address may not take the room of the match")
        state.expanded.status = String(repeating: "x", count: PushPayload.bytesMax - whole.bytes.count)
        let (cut, left) = try start(state)
        #expect(cut.cuts == [.logos])
        #expect(left.homeLogo == nil && left.homeTeam == "Mumbai Indians")
        #expect(try decodedState(cut.bytes) == state)
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
