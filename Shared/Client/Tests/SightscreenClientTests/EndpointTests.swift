import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// "API endpoints" and "State management summary": each row.
@Suite struct EndpointTests {
    private static let match = Sample.match()

    private func api(_ gateway: ScriptedGateway) async -> SightscreenAPI {
        await gateway.accept("good", as: Sample.user)
        await gateway.play(Self.match)
        return SightscreenAPI(
            transport: gateway, session: FakeSession(user: Sample.user, token: "good"), clock: StoppedClock())
    }

    /// API endpoints · POST /matches/:matchId/follow.
    @Test func followIsPosted() async throws {
        let gateway = try ScriptedGateway()
        let answer = try await api(gateway).follow(FollowRequest(matchId: Self.match.id, startsLocally: true))
        #expect(answer == FollowResponse(following: true, displayState: Sample.state(), liveActivity: .starting))
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/follow"])
    }

    /// API endpoints · POST /matches/:matchId/unfollow.
    @Test func unfollowIsPosted() async throws {
        let gateway = try ScriptedGateway()
        #expect(try await api(gateway).unfollow(Self.match.id) == UnfollowResponse(following: false))
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/unfollow"])
    }

    /// API endpoints · GET /user/follows.
    @Test func followsAreRead() async throws {
        let gateway = try ScriptedGateway()
        await gateway.setFollows([Self.match.id], of: Sample.user)
        #expect(try await api(gateway).follows().map(\.matchId) == [Self.match.id])
        #expect(await gateway.calls.map(\.line) == ["GET /user/follows"])
    }

    /// API endpoints · POST /matches/:matchId/activity-token.
    @Test func anActivityTokenIsPosted() async throws {
        let gateway = try ScriptedGateway()
        await gateway.setFollows([Self.match.id], of: Sample.user)
        let report = ActivityTokenRequest(
            activityToken: UpdateToken(String(repeating: "ab", count: 80)), deviceId: Sample.profile.deviceID,
            activityId: ActivityID("a-1"), startId: StartID("s-1"))
        let answer = try await api(gateway).registerActivityToken(report, match: Self.match.id)
        #expect(answer.liveActivity == .active)
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/activity-token"])
    }

    /// API endpoints · POST /matches/:matchId/activity-dismissed.
    @Test func aDismissalIsPosted() async throws {
        let gateway = try ScriptedGateway()
        let report = ActivityDismissedRequest(deviceId: Sample.profile.deviceID, activityId: ActivityID("a-1"))
        #expect(try await api(gateway).reportDismissal(report, match: Self.match.id).following == false)
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/activity-dismissed"])
    }

    // MARK: - State management summary

    /// followedMatchIds · FollowManager · UserDefaults; Pending unfollows · FollowManager · in memory (and on disk).
    @Test func followsSurviveTheAppAndTokensAndActivitiesDoNot() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        let id = try await phone.registeredActivity(Self.match.id)
        try await phone.soon("it is remembered") {
            await phone.managers.tokens.lastSentToken(for: Self.match.id) != nil
        }
        #expect(phone.store.strings(forKey: "followedMatchIds") == ["1304076"])
        await phone.killApp()
        // lastSentTokens · TokenManager · in memory; active activity map · LifecycleManager · in memory.
        #expect(await phone.managers.tokens.lastSentToken(for: Self.match.id) == nil)
        #expect(await phone.managers.lifecycle.activities().isEmpty)
        await phone.app.start()
        #expect(await phone.managers.follows.followedMatchIds() == [Self.match.id])
        // The map of match ids to activities is made anew from what the system has, and the token sent anew.
        #expect(await phone.managers.lifecycle.activities().map(\.id) == [id])
        try await phone.until("the token is there again") {
            await phone.managers.tokens.lastSentToken(for: Self.match.id) != nil
        }
        await phone.end()
    }

    /// Bell icon state · FollowManager · computed: from the follow and from how the activity does.
    @Test func theBellIsComputed() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        let follows = phone.managers.follows
        await follows.set(.failed(.stale), for: Self.match.id)
        #expect(await follows.bell(for: Self.match.id) == .empty)
        _ = try await follows.follow(FollowRequest(matchId: Self.match.id))
        #expect(await follows.bell(for: Self.match.id) == Bell(.filledWithWarning))
        await follows.set(.running, for: Self.match.id)
        #expect(await follows.bell(for: Self.match.id) == Bell(.filled))
        await phone.end()
    }

    @Test func theFacadeAloneKnowsMoreThanOneManager() async throws {
        // Each of them runs over fakes of nothing but its own ports: with the others' fakes the facade still does its work.
        let tokens = FakeLiveActivityTokenManager()
        let lifecycle = FakeLiveActivityLifecycleManager()
        let follows = FakeFollowManager(displayState: Sample.state())
        let gateway = try ScriptedGateway()
        let facade = RealLiveActivityService(
            tokens: tokens, lifecycle: lifecycle, follows: follows, api: await api(gateway),
            session: FakeSession(user: Sample.user, token: "good"), clock: StoppedClock(), profile: Sample.profile)
        await facade.start()
        try await facade.follow(Self.match)
        let activity = try #require(await lifecycle.activities().first)
        #expect(await tokens.observed == [activity.id])
        #expect(await facade.bell(for: Self.match.id) == Bell(.filled))
        await tokens.tell(.refused(activity.id, Self.match.id))
        #expect(await lifecycle.activities().isEmpty)
        #expect(await tokens.observed.isEmpty)
        #expect(await follows.syncs == 1)
        #expect(await gateway.calls.isEmpty)
    }
}

/// Nobody waits in these tests.
struct StoppedClock: ClientClock {
    var now: Int { Sample.now }
    func sleep(for duration: Duration) async throws { throw CancellationError() }
}
