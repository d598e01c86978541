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

    @Test func theOrderOfTheCutsIsTheOneStated() {
        #expect(
            PayloadCut.allCases == [.spoken, .names, .lists, .sentences, .equation, .bowler, .play, .everything])
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
        #expect(encoded.cuts == PayloadCut.allCases)
        #expect(try decodedState(encoded.bytes).compactLeading.teamAbbr == "…")
    }

    @Test func theSentenceForVoiceOverGoesFirst() throws {
        var state = Sample.state
        state.expanded.spoken = String(repeating: "spoken ", count: 600)
        let encoded = try LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: state, staleAt: nil, relevance: nil
        ).encode()
        #expect(encoded.cuts == [.spoken])
        #expect(try decodedState(encoded.bytes) == Sample.state)
    }

    @Test func longNamesAreShortenedBeforeAnythingElseOfTheMatchGoes() throws {
        var state = Sample.state
        state.expanded.batters[0].name = String(repeating: "Venkataraghavan ", count: 300)
        let encoded = try LiveActivityPayload.update(
            stamp: Sample.stamp, contentState: state, staleAt: nil, relevance: nil
        ).encode()
        #expect(encoded.cuts == [.spoken, .names])
        let shown = try decodedState(encoded.bytes)
        #expect(shown.expanded.batters[0].name == "Venkataraghavan Venkataraghavan Venkataraghav…")
        #expect(shown.expanded.lastEvent == state.expanded.lastEvent)
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
