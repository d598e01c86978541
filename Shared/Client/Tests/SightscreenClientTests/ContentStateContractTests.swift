import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// The content state, push types and key events, on a phone that decodes as iOS does.
@Suite struct ContentStateContractTests {
    /// A push with a complete content state.
    private static func push(
        timestamp: Int = Sample.now + 10, event: String? = "update", state: String? = Self.state, extra: String = ""
    ) -> String {
        var members: [String] = ["\"timestamp\":\(timestamp)"]
        if let event { members.append("\"event\":\"\(event)\"") }
        if let state { members.append("\"content-state\":\(state)") }
        return "{\"aps\":{\(members.joined(separator: ","))\(extra)}}"
    }

    private static let state = """
        {"schema":1,"version":2,"matchDisplayState":"live","matchSentiment":"tense",
         "compactLeading":{"teamAbbr":"MI","score":"88/6"},"compactTrailing":{"overs":"12.4","runRate":"6.95"},
         "expanded":{"title":"MI v CSK","subtitle":"IPL","innings":[],"batters":[],"recentBalls":[]}}
        """

    /// Returns a phone with a running activity, and a function that sends a body to it.
    private func running() async throws -> (Phone, ActivityID, (String, [String: String]) async -> PushOutcome) {
        let phone = try await Phone(Sample.match())
        await phone.gateway.setFollows([Sample.match().id], of: Sample.user)
        try await phone.launch()
        let id = try await phone.pushStart(Sample.match().id)
        _ = try await phone.registeredActivity(Sample.match().id)
        let token = await phone.shown().first?.token?.rawValue ?? ""
        return (
            phone, id,
            { body, headers in
                let all = ["apns-push-type": "liveactivity", "apns-priority": "10"].merging(headers) { $1 }
                return await phone.kit.receive(RawPush(token: token, headers: all, body: Array(body.utf8)))
            }
        )
    }

    @Test func keysAreCamelCase() async throws {
        let (phone, id, send) = try await running()
        let snake = Self.state.replacing("compactLeading", with: "compact_leading")
        #expect(await send(Self.push(timestamp: phone.clock.now + 5, state: snake), [:]) == .dropped(.notDecodable))
        #expect(await send(Self.push(timestamp: phone.clock.now + 5), [:]) == .updated(id, alerted: false))
        try await phone.soon("it is rendered as it came") {
            await phone.managers.lifecycle.activities().first?.content.state.compactLeading.score == "88/6"
        }
        await phone.end()
    }

    @Test func aPayloadOver4KBIsNotTaken() async throws {
        let (phone, id, send) = try await running()
        let at = phone.clock.now + 5
        let small = Self.push(timestamp: at)
        let padding = { (bytes: Int) in ",\"filler\":\"" + String(repeating: "x", count: bytes - 12) + "\"" }
        let fits = Self.push(timestamp: at, extra: padding(4_096 - small.utf8.count))
        let tooLarge = Self.push(timestamp: at, extra: padding(4_097 - small.utf8.count))
        #expect(fits.utf8.count == 4_096)
        #expect(await send(tooLarge, [:]) == .dropped(.tooLarge))
        #expect(await send(fits, [:]) == .updated(id, alerted: false))
        await phone.end()
    }

    @Test(arguments: ["timestamp", "event", "content-state"])
    func withoutARequiredFieldNothingIsShown(field: String) async throws {
        let (phone, _, send) = try await running()
        let good = Self.push(timestamp: phone.clock.now + 5)
        #expect(await send(good.replacing("\"\(field)\"", with: "\"other\""), [:]) == .dropped(.notDecodable))
        await phone.end()
    }

    @Test func updatesAndEndsCarryThePushTypeLiveactivity() async throws {
        let (phone, id, send) = try await running()
        let at = phone.clock.now + 5
        for wrong in ["alert", "background", "push-to-start", ""] {
            #expect(await send(Self.push(timestamp: at), ["apns-push-type": wrong]) == .dropped(.wrongPushType))
        }
        #expect(await send(Self.push(timestamp: at), [:]) == .updated(id, alerted: false))
        #expect(await send(Self.push(timestamp: at + 1, event: "end"), [:]) == .ended(id))
        await phone.end()
    }

    /// A start is not a push type of its own: it is the event `start` of the push type `liveactivity`, sent to the
    /// push-to-start token.
    @Test func aStartIsAnEventOfThePushTypeLiveactivity() async throws {
        let phone = try await Phone(Sample.match())
        try await phone.launch()
        await phone.killApp()
        let token = await phone.kit.startToken.rawValue
        let attributes = """
            ,"attributes-type":"LiveActivityAttributes","attributes":{"matchId":"1304076","startId":"s-1",\
            "homeTeam":"Mumbai Indians","homeAbbr":"MI","homeTeamId":"6","awayTeam":"Chennai Super Kings",\
            "awayAbbr":"CSK","awayTeamId":"2","competition":"IPL","startsAt":1799996400},\
            "alert":{"title":"MI v CSK","body":"Live"},"input-push-token":1
            """
        let body = Array(Self.push(timestamp: phone.clock.now, event: "start", extra: attributes).utf8)
        let wrong = RawPush(token: token, headers: ["apns-push-type": "push-to-start"], body: body)
        #expect(await phone.kit.receive(wrong) == .dropped(.wrongPushType))
        let right = RawPush(token: token, headers: ["apns-push-type": "liveactivity"], body: body)
        guard case .started = await phone.kit.receive(right) else {
            Issue.record("the start was not taken")
            return
        }
        // The app is not open, and need not be.
        #expect(await phone.shown().map(\.matchID) == [Sample.match().id])
        await phone.end()
    }

    /// The priority is APNs' header. The relevance score is relative and decides which activity is in the Dynamic
    /// Island. The alert is what buzzes and opens the island.
    @Test func aKeyEventBuzzesAndOpensTheDynamicIsland() async throws {
        let (phone, id, send) = try await running()
        phone.clock.advance(seconds: 60)
        #expect(await phone.kit.screen.island.expanded == nil)
        let alert = """
            ,"relevance-score":82.5,"alert":{"title":"Wicket!","body":"Rohit Sharma c Kohli b Bumrah 45(32)",\
            "sound":"default"}
            """
        let outcome = await send(Self.push(timestamp: phone.clock.now + 5, extra: alert), [:])
        #expect(outcome == .updated(id, alerted: true))
        #expect(await phone.kit.screen.island.expanded == id)
        let shown = try #require(await phone.shown().first)
        #expect(shown.lastAlert?.title == "Wicket!")
        #expect(shown.lastAlert?.hasSound == true)
        #expect(shown.content.relevance == 82.5)
        await phone.end()
    }
}
