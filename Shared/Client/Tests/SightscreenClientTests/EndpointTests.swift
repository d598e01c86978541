import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// The gateway's endpoints, and the storage of each manager's state.
@Suite struct EndpointTests {
    private static let match = Sample.match()

    private func api(_ gateway: ScriptedGateway) async -> SightscreenAPI {
        await gateway.accept("good", as: Sample.user)
        await gateway.play(Self.match)
        return SightscreenAPI(
            transport: gateway, session: FakeSession(user: Sample.user, token: "good"), clock: StoppedClock())
    }

    @Test func followIsPosted() async throws {
        let gateway = try ScriptedGateway()
        let answer = try await api(gateway).follow(FollowRequest(matchId: Self.match.id, startsLocally: true))
        let wanted = FollowResponse(
            following: true, displayState: Sample.state(), liveActivity: .starting,
            relevance: ScriptedGateway.relevance)
        #expect(answer == wanted)
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/follow"])
    }

    @Test func unfollowIsPosted() async throws {
        let gateway = try ScriptedGateway()
        #expect(try await api(gateway).unfollow(Self.match.id) == UnfollowResponse(following: false))
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/unfollow"])
    }

    @Test func followsAreRead() async throws {
        let gateway = try ScriptedGateway()
        await gateway.setFollows([Self.match.id], of: Sample.user)
        #expect(try await api(gateway).follows().map(\.matchId) == [Self.match.id])
        #expect(await gateway.calls.map(\.line) == ["GET /user/follows"])
    }

    @Test func anActivityTokenIsPosted() async throws {
        let gateway = try ScriptedGateway()
        await gateway.setFollows([Self.match.id], of: Sample.user)
        let report = ActivityTokenRequest(
            activityToken: UpdateToken(String(repeating: "ab", count: 80)), deviceId: Sample.device,
            activityId: ActivityID("a-1"), startId: StartID("s-1"))
        let answer = try await api(gateway).registerActivityToken(report, match: Self.match.id)
        #expect(answer.liveActivity == .active)
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/activity-token"])
    }

    @Test func aDismissalIsPosted() async throws {
        let gateway = try ScriptedGateway()
        let report = ActivityDismissedRequest(deviceId: Sample.device, activityId: ActivityID("a-1"))
        #expect(try await api(gateway).reportDismissal(report, match: Self.match.id).following == false)
        #expect(await gateway.calls.map(\.line) == ["POST /matches/1304076/activity-dismissed"])
    }

    // MARK: - State

    /// The follows and pending unfollows are in UserDefaults. The sent tokens and the activities are only in memory.
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
        // The sent tokens and the map of activities were only in memory.
        #expect(await phone.managers.tokens.lastSentToken(for: Self.match.id) == nil)
        #expect(await phone.managers.lifecycle.activities().isEmpty)
        await phone.app.start()
        #expect(await phone.managers.follows.followedMatchIds() == [Self.match.id])
        // The map is made anew from the system's activities, and the token is sent again.
        #expect(await phone.managers.lifecycle.activities().map(\.id) == [id])
        try await phone.until("the token is there again") {
            await phone.managers.tokens.lastSentToken(for: Self.match.id) != nil
        }
        await phone.end()
    }

    /// The state of the follow button is computed from the follow and from the activity's health.
    @Test func theFollowButtonIsComputed() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        let follows = phone.managers.follows
        await follows.set(.failed(.stale), for: Self.match.id)
        #expect(await follows.followButton(for: Self.match.id) == .empty)
        _ = try await follows.follow(FollowRequest(matchId: Self.match.id))
        #expect(await follows.followButton(for: Self.match.id) == FollowButton(.filledWithWarning, showsAgain: true))
        await follows.set(.running, for: Self.match.id)
        #expect(await follows.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func theFacadeAloneKnowsMoreThanOneManager() async throws {
        // Each manager runs with only its own ports. With fakes of the others the facade still works.
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
        #expect(await facade.followButton(for: Self.match.id) == FollowButton(.filled))
        await tokens.tell(.refused(activity.id, Self.match.id))
        #expect(await lifecycle.activities().isEmpty)
        #expect(await tokens.observed.isEmpty)
        #expect(await follows.syncs == 1)
        #expect(await gateway.calls.isEmpty)
    }
}

/// A clock that stands still and refuses to wait.
struct StoppedClock: ClientClock {
    var now: Int { Sample.now }
    func sleep(for duration: Duration) async throws { throw CancellationError() }
}
