import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// The life of an activity from start to end, and the flow of a push-to-start.
@Suite struct LifecycleFlowTests {
    private static let match = Sample.match()
    private static let upcoming = Sample.match(42, .upcoming)
    private static let dismissedPath = "POST /matches/1304076/activity-dismissed"

    // MARK: - Start routes

    @Test func aTapOnTheFollowButtonInPlayFollowsThenRequestsThenRegistersTheToken() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        #expect(await phone.managers.follows.followedMatchIds() == [Self.match.id])
        #expect(await phone.shown().count == 1)
        _ = try await phone.registeredActivity(Self.match.id)
        let order = await phone.gateway.calls.map(\.line).filter { $0.contains("1304076") }
        #expect(order == ["POST /matches/1304076/follow", "POST /matches/1304076/activity-token"])
        // The backend then starts none by push.
        let body = try #require(await phone.gateway.calls("POST /matches/1304076/follow").first?.body)
        #expect(body["startsLocally"]?.flag == true)
        await phone.end()
    }

    /// The push starts the activity while the app does not run.
    @Test func aPushStartsAnActivityWithoutTheAppAndTheNextLaunchAdoptsIt() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Sample.match(1_304_076, .upcoming))
        await phone.killApp()
        let id = try await phone.pushStart(Self.match.id)
        #expect(await phone.shown().map(\.id) == [id])
        try await phone.until("the system has a token") { await phone.shown().first?.token != nil }
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-token").isEmpty)
        try await phone.launch()
        #expect(try await phone.registeredActivity(Self.match.id) == id)
        await phone.end()
    }

    // MARK: - End reasons

    @Test func anUnfollowEndsTheActivityAndIsNoDismissal() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.app.unfollow(Self.match.id)
        #expect(await phone.shown().isEmpty)
        try await phone.soon("the gateway knows") {
            await phone.gateway.successes("POST /matches/1304076/unfollow").count == 1
        }
        try await phone.soon("nothing is left") { await phone.managers.lifecycle.activities().isEmpty }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    /// The end push of a match that is over has a dismissal date.
    @Test func anEndPushWithADismissalDateEndsTheActivity() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        try await phone.app.syncFollows()
        let id = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        let final = Sample.state(version: 9, .completed, score: "172/8", status: "Mumbai Indians won by 2 wickets")
        #expect(try await phone.pushEnd(id, final, dismissAt: phone.clock.now + 900) == .ended(id))
        try await phone.soon("it is over, and shown") {
            await phone.managers.lifecycle.activities().map(\.state) == [.ended]
        }
        #expect(await phone.managers.lifecycle.activities().first?.content.state == final)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        phone.clock.advance(seconds: 900)
        try await phone.soon("it has left the screen") { await phone.managers.lifecycle.activities().isEmpty }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    @Test func halfAnHourWithoutNewsEndsTheActivity() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        _ = try await phone.registeredActivity(Self.match.id)
        phone.clock.advance(seconds: StaleLimit.seconds)
        await phone.app.enterForeground()
        #expect(await phone.shown().isEmpty)
        await phone.end()
    }

    /// The system ends the activity because of an error of ActivityKit.
    @Test func anActivityThatTheSystemEndsMakesTheFollowButtonWarn() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        let id = try await phone.registeredActivity(Self.match.id)
        let syncs = await phone.gateway.successes("GET /user/follows").count
        await phone.kit.systemEnds(id)
        try await phone.soon("the follow button warns") {
            await phone.app.followButton(for: Self.match.id).state == .filledWithWarning
        }
        // The end may be the backend's, which knows whether the match is still followed.
        try await phone.soon("the backend was asked") {
            await phone.gateway.successes("GET /user/follows").count > syncs
        }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        // The backend finds the token dead and starts another activity.
        try await phone.pushStart(Self.match.id, start: "s-2")
        try await phone.soon("the follow button is content") {
            await phone.app.followButton(for: Self.match.id) == FollowButton(.filled)
        }
        await phone.end()
    }

    // MARK: - Push-to-start flow

    /// The steps are the follow before play, the backend's start, the system's activity, its adoption, and the
    /// registration of its token.
    @Test func aMatchThatIsFollowedBeforePlayStartsByItself() async throws {
        let phone = try await Phone(Self.upcoming)
        try await phone.launch()
        // 1. The match is followed, and the push-to-start token is registered.
        let response = try await phone.app.follow(Self.upcoming)
        #expect(response.liveActivity == .scheduled)
        #expect(await phone.shown().isEmpty)
        let startToken = await phone.gateway.startTokens[Sample.device]
        #expect(startToken == (await phone.kit.startToken))
        // 2 and 3. Play begins: the backend sends a start to that token, and the system creates the activity.
        await phone.gateway.play(Sample.match(42, .live))
        let id = try await phone.pushStart(Self.upcoming.id, start: "s-42")
        #expect(await phone.shown().map(\.id) == [id])
        // 4. The app adopts the activity.
        try await phone.soon("it is adopted") { await phone.managers.lifecycle.activities().map(\.id) == [id] }
        // 5. Its token is registered.
        #expect(try await phone.registeredActivity(Self.upcoming.id) == id)
        #expect(await phone.gateway.activities[Self.upcoming.id]?.startID == StartID("s-42"))
        #expect(await phone.gateway.startTokens[Sample.device] == startToken)
        #expect(await phone.gateway.calls("POST /devices/push-to-start-token").count == 1)
        await phone.end()
    }
}
