import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// What previews show.
@Suite struct FakeTests {
    private static let match = Sample.match()

    private static let activity = PhoneActivity(
        id: ActivityID("a"), attributes: Sample.attributes(match.id, start: "s"),
        content: ShownContent(state: Sample.state()), state: .active)

    @Test func aFakeServiceHasBellsAndActivities() async throws {
        let service = FakeLiveActivityService(following: [MatchID(7)], activities: [Self.activity])
        var bells = await service.bells().makeAsyncIterator()
        #expect(await bells.next() == [MatchID(7): Bell(.filled)])
        try await service.follow(Self.match)
        #expect(await bells.next() == [MatchID(7): Bell(.filled), Self.match.id: Bell(.filled)])
        // In play it is on the Lock Screen at once, and a second tap shows no second one.
        try await service.follow(Self.match)
        var follower = await service.shownActivities().makeAsyncIterator()
        #expect(await follower.next()?.map(\.matchID) == [Self.activity.matchID])
        await service.set(.failed(.notStarted), for: Self.match.id)
        #expect(await service.bell(for: Self.match.id) == Bell(.filledWithWarning))
        await service.unfollow(Self.match.id)
        var shown = await service.shownActivities().makeAsyncIterator()
        #expect(await shown.next() == [])
        await service.refuse(.transport(.offline))
        await #expect(throws: APIError.transport(.offline)) { try await service.follow(Self.match) }
        await service.signOut()
        #expect(await service.bell(for: MatchID(7)) == .empty)
    }

    @Test func aFakeFollowInPlayShowsAnActivity() async throws {
        let service = FakeLiveActivityService()
        try await service.follow(Self.match)
        let later = Sample.match(8, .upcoming)
        try await service.follow(later)
        var shown = await service.shownActivities().makeAsyncIterator()
        let activities = try #require(await shown.next())
        #expect(activities.map(\.matchID) == [Self.match.id])
        #expect(activities.first?.content.state == Self.match.displayState)
        #expect(activities.first?.attributes.homeTeam == "Mumbai Indians")
        #expect(activities.first?.state == .active)
        #expect(await service.bell(for: later.id) == Bell(.filled))
    }

    @Test func theRealFacadeRunsOnFakeManagers() async throws {
        let lifecycle = FakeLiveActivityLifecycleManager([Self.activity])
        let tokens = FakeLiveActivityTokenManager()
        let follows = FakeFollowManager()
        let gateway = try ScriptedGateway()
        let session = FakeSession(user: Sample.user, token: "good")
        let facade = RealLiveActivityService(
            tokens: tokens, lifecycle: lifecycle, follows: follows,
            api: SightscreenAPI(transport: gateway, session: session, clock: StoppedClock()), session: session,
            clock: StoppedClock(), profile: Sample.profile)
        await facade.start()
        #expect(await tokens.observed == [ActivityID("a")])
        #expect(await facade.bell(for: Self.match.id) == Bell(.filled))
        await lifecycle.tell(
            .permissionChanged(ActivityPermission(showsActivities: false, allowsFrequentPushes: false)))
        #expect(await facade.bell(for: Self.match.id) == Bell(.filledWithWarning))
        #expect(await tokens.reports.last?.liveActivitiesEnabled == false)
        await lifecycle.tell(.ended(Self.activity, .user))
        #expect(await facade.bell(for: Self.match.id) == .empty)
    }

    /// Nobody is signed in: nothing is observed and nothing sent.
    @Test func nothingStartsWithoutAUser() async throws {
        let phone = try await Phone(Self.match)
        await phone.session.signOut()
        await phone.app.start()
        #expect(await phone.kit.listenerCount == 0)
        #expect(await phone.gateway.calls.isEmpty)
        await phone.end()
    }

    @Test(arguments: [
        ("{\"aps\":{},\"matchId\":\"7\",\"purpose\":\"startLiveActivity\"}", true),
        ("{\"aps\":{},\"matchId\":7,\"purpose\":\"startLiveActivity\"}", false),
        ("{\"aps\":{},\"matchId\":\"7\",\"purpose\":\"sell\"}", false), ("{\"aps\":{}}", false), ("", false),
    ])
    func onlyOurOwnPushesAreRead(payload: String, isOurs: Bool) {
        let push = AppPush(payload: Array(payload.utf8), kind: .silent)
        #expect(push == (isOurs ? AppPush(kind: .silent, matchID: MatchID(7)) : nil))
    }
}
