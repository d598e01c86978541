import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// The fakes that previews use.
@Suite struct FakeTests {
    private static let match = Sample.match()

    private static let activity = PhoneActivity(
        id: ActivityID("a"), attributes: Sample.attributes(match.id, start: "s"),
        content: ShownContent(state: Sample.state()), state: .active)

    @Test func aFakeServiceHasFollowButtonsAndActivities() async throws {
        let service = FakeLiveActivityService(following: [MatchID(7)], activities: [Self.activity])
        var followButtons = await service.followButtons().makeAsyncIterator()
        #expect(await followButtons.next() == [MatchID(7): FollowButton(.filled)])
        try await service.follow(Self.match)
        #expect(
            await followButtons.next() == [MatchID(7): FollowButton(.filled), Self.match.id: FollowButton(.filled)])
        // A match in play is on the Lock Screen at once, and a second tap shows no second activity.
        try await service.follow(Self.match)
        var follower = await service.shownActivities().makeAsyncIterator()
        #expect(await follower.next()?.map(\.matchID) == [Self.activity.matchID])
        await service.set(.failed(.notStarted), for: Self.match.id)
        #expect(await service.followButton(for: Self.match.id) == FollowButton(.filledWithWarning, showsAgain: true))
        await service.unfollow(Self.match.id)
        var shown = await service.shownActivities().makeAsyncIterator()
        #expect(await shown.next() == [])
        await service.refuse(.transport(.offline))
        await #expect(throws: APIError.transport(.offline)) { try await service.follow(Self.match) }
        await service.signOut()
        #expect(await service.followButton(for: MatchID(7)) == .empty)
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
        #expect(await service.followButton(for: later.id) == FollowButton(.filled))
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
        #expect(await facade.followButton(for: Self.match.id) == FollowButton(.filled))
        await lifecycle.tell(
            .permissionChanged(ActivityPermission(showsActivities: false, allowsFrequentPushes: false)))
        #expect(await facade.followButton(for: Self.match.id) == FollowButton(.filledWithWarning))
        #expect(await tokens.reports.last?.liveActivitiesEnabled == false)
        await lifecycle.tell(.ended(Self.activity, .user))
        #expect(await facade.followButton(for: Self.match.id) == .empty)
    }

    /// While no user is signed in, nothing is observed and nothing sent.
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

    /// A library in the app may put objects of its own into a notification.
    @Test func aNotificationMayHoldWhatIsNoJSON() {
        final class Foreign {}
        let ours: [AnyHashable: Any] = [
            "aps": ["content-available": 1], "purpose": "reconcile", "matchId": "7", "confirm": "6f1c", 3: Foreign(),
            "foreign": Foreign(), "rate": Double.nan,
        ]
        #expect(
            AppPush(userInfo: ours, kind: .silent)
                == AppPush(kind: .silent, purpose: .reconcile, matchID: MatchID(7), nonce: "6f1c"))
        for other in [["purpose": "sell"], ["purpose": Foreign()], ["foreign": Foreign()]] as [[AnyHashable: Any]] {
            #expect(AppPush(userInfo: other, kind: .opened) == nil)
        }
        #expect(AppPush(userInfo: ["purpose": "reconcile", "matchId": 7], kind: .silent) == nil)
    }
}
