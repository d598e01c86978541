import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Testing

/// The observation of the three kinds of token, their rotation, and their registration.
@Suite struct TokenManagerTests {
    private static let match = Sample.match()
    private static let tokenPath = "POST /matches/1304076/activity-token"
    private static let startTokenPath = "POST /devices/push-to-start-token"

    @Test func pushToStartTokenIsObservedAndSentOnceThoughItFiresTwice() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        let first = await phone.kit.startToken
        // After a start by push the system repeats the same token.
        try await phone.pushStart(Self.match.id)
        await phone.kit.repeatStartToken()
        await phone.kit.rotateAppTokens()
        let second = await phone.kit.startToken
        try await phone.until("the rotated token is there") {
            await phone.gateway.startTokens[Sample.device] == second
        }
        #expect(first != second)
        let sent = await phone.gateway.calls(Self.startTokenPath).compactMap { $0.body?["pushToStartToken"]?.text }
        #expect(sent == [first.rawValue, second.rawValue])
        await phone.end()
    }

    @Test func updateTokensOfEachActivityAreObservedWithoutEnd() async throws {
        let phone = try await Phone(Self.match, Sample.match(7))
        await phone.gateway.setFollows([Self.match.id, MatchID(7)], of: Sample.user)
        try await phone.launch()
        let (one, two) = (try await phone.pushStart(Self.match.id), try await phone.pushStart(MatchID(7), start: "s-2"))
        for id in [one, two] {
            let match = id == one ? Self.match.id : MatchID(7)
            #expect(try await phone.registeredActivity(match) == id)
        }
        for _ in 1...3 {
            await phone.kit.rotateToken(of: one)
            let token = await phone.shown().first { $0.id == one }?.token
            try await phone.until("the rotated token is there") {
                await phone.gateway.activities[Self.match.id]?.token == token
            }
        }
        #expect(await phone.gateway.successes(Self.tokenPath).count == 4)
        #expect(await phone.gateway.successes("POST /matches/7/activity-token").count == 1)
        await phone.end()
    }

    /// The token is posted with its activity's `activityId` and `startId`.
    @Test func aNewTokenIsPostedWithTheActivityAndItsStart() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        let id = try await phone.pushStart(Self.match.id, start: "s-7f3a")
        _ = try await phone.registeredActivity(Self.match.id)
        let body = try #require(await phone.gateway.successes(Self.tokenPath).first?.body)
        #expect(body["activityId"]?.text == id.rawValue)
        #expect(body["startId"]?.text == "s-7f3a")
        #expect(body["deviceId"]?.text == Sample.device.rawValue)
        #expect(body["activityToken"]?.text == (await phone.shown().first?.token?.rawValue))
        await phone.end()
    }

    /// A token is compared with the last sent one, and posted only when it has changed.
    @Test func aTokenThatWasSentIsNotPostedAgain() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        let token = await phone.shown().first?.token
        try await phone.soon("it is remembered") {
            await phone.managers.tokens.lastSentToken(for: Self.match.id) == token
        }
        // The system repeats it: to a second observer, or after the app slept.
        await phone.managers.tokens.observe(try #require(await phone.managers.lifecycle.activities().first))
        await phone.kit.repeatToken(of: id)
        await phone.kit.rotateToken(of: id)
        let rotated = await phone.shown().first?.token
        try await phone.until("the rotated token is there") {
            await phone.managers.tokens.lastSentToken(for: Self.match.id) == rotated
        }
        let sent = await phone.gateway.calls(Self.tokenPath).compactMap { $0.body?["activityToken"]?.text }
        #expect(sent == [token?.rawValue, rotated?.rawValue].compactMap { $0 })
        await phone.end()
    }

    @Test func aRegistrationThatFailsIsRetriedUntilItIsTaken() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        await phone.gateway.trouble(
            "/activity-token", .refusal(503, "unavailable", retryAfter: 2), .transport(.timeout),
            .refusal(500, "internal-error"),
            .transport(.broken("reset")), .answerLost, .transport(.timeout),
            .refusal(429, "rate-limited", retryAfter: 30))
        let id = try await phone.pushStart(Self.match.id)
        #expect(try await phone.registeredActivity(Self.match.id) == id)
        try await phone.until("it is taken") { await phone.managers.tokens.lastSentToken(for: Self.match.id) != nil }
        await phone.end()
    }

    @Test func aTokenThatRotatesWhileThePhoneIsOfflineGoesInPlaceOfTheOldOne() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        await phone.gateway.setOffline(true)
        let id = try await phone.pushStart(Self.match.id)
        try await phone.until("the first was tried") { await !phone.gateway.calls(Self.tokenPath).isEmpty }
        await phone.kit.rotateToken(of: id)
        let rotated = try #require(await phone.shown().first?.token)
        try await phone.soon("the second was tried") {
            await phone.gateway.calls(Self.tokenPath).last?.body?["activityToken"]?.text == rotated.rawValue
        }
        await phone.gateway.setOffline(false)
        await phone.app.connectionRestored()
        try await phone.soon("it is there, without waiting") {
            await phone.gateway.activities[Self.match.id]?.token == rotated
        }
        await phone.end()
    }

    /// The phone is registered first, then its push-to-start token, update token and device token.
    @Test func thePhoneIsKnownBeforeItsTokens() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        // The activity exists before the app has ever reached the gateway.
        await phone.gateway.trouble("/devices", .transport(.timeout), .transport(.timeout), .transport(.timeout))
        try await phone.pushStart(Self.match.id)
        try await phone.launch()
        _ = try await phone.registeredActivity(Self.match.id)
        let order = await phone.gateway.calls.filter { $0.status == 200 && $0.method == "POST" }.map(\.path)
        #expect(order.first == "/devices")
        #expect(Set(order) == ["/devices", "/devices/push-to-start-token", "/matches/1304076/activity-token"])
        let device = try #require(await phone.gateway.devices[Sample.device])
        #expect(device.environment == .sandbox)
        #expect(device.deviceToken == nil)
        // The device token comes from the app delegate, and is registered with the phone.
        let token = await phone.kit.deviceToken
        await phone.app.deviceTokenChanged(token)
        try await phone.until("the device token is there") {
            await phone.gateway.devices[Sample.device]?.deviceToken == token
        }
        await phone.end()
    }

    /// `activity.pushToken` has none right after the creation, so only the stream can be relied on.
    @Test func anActivityHasNoTokenAtFirst() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        try await phone.pushStart(Self.match.id)
        #expect(await phone.shown().first?.token == nil)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.end()
    }

    // MARK: - Silent streams

    @Test func tokensThatOnlyThePropertiesHaveAreSentAtALaunch() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        let id = try await phone.pushStart(Self.match.id)
        try await phone.until("the system has a token") { await phone.shown().first?.token != nil }
        await phone.kit.setSilentTokenStreams(true)
        try await phone.launch()
        #expect(try await phone.registeredActivity(Self.match.id) == id)
        #expect(await phone.gateway.startTokens[Sample.device] == phone.kit.startToken)
        await phone.end()
    }

    @Test func tokensThatChangeWithoutAWordAreSentWhenTheAppIsOpened() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.kit.setSilentTokenStreams(true)
        await phone.kit.rotateToken(of: id)
        await phone.kit.rotateAppTokens()
        let (start, update) = (await phone.kit.startToken, await phone.shown().first?.token)
        await phone.app.enterForeground()
        try await phone.soon("the push-to-start token is there") {
            await phone.gateway.startTokens[Sample.device] == start
        }
        try await phone.soon("the update token is there") {
            await phone.gateway.activities[Self.match.id]?.token == update
        }
        await phone.end()
    }

    /// A silent push asks for the phone's state, and the answer has the token that is there now.
    @Test func tokensAreReadBeforeARegistration() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        await phone.kit.setSilentTokenStreams(true)
        await phone.kit.rotateAppTokens()
        let token = await phone.kit.startToken
        await phone.app.receive(AppPush(kind: .silent, purpose: .reconcile, matchID: nil))
        try await phone.soon("the token is there") {
            await phone.gateway.startTokens[Sample.device] == token
        }
        await phone.end()
    }

    @Test func aTokenThatWasReplacedIsNotReadAgain() {
        var tokens = TokenReadings<String>()
        var news: [Bool] = [tokens.read("a"), tokens.read("a")]
        tokens.streamed("b")
        // The property lags behind the stream.
        news += [tokens.read("a"), tokens.read("c")]
        #expect(news == [true, false, false, true])
        #expect(tokens.newest == "c")
        // The stream's word counts.
        tokens.streamed("b")
        let isReadAgain = tokens.read("c")
        #expect(tokens.newest == "b" && !isReadAgain)
    }
}
