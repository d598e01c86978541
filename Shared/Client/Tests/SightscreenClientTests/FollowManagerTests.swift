import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// Follows, unfollows, the follow button, and their reconciliation with the backend.
@Suite struct FollowManagerTests {
    private static let match = Sample.match()
    private static let upcoming = Sample.match(42, .upcoming)
    private static let unfollowPath = "POST /matches/1304076/unfollow"

    @Test func eachTapOfTheFollowButtonIsPosted() async throws {
        let phone = try await Phone(Self.upcoming)
        try await phone.launch()
        try await phone.app.follow(Self.upcoming, teamID: "6", alerts: .key)
        let follow = try #require(await phone.gateway.successes("POST /matches/42/follow").first?.body)
        #expect(follow["deviceId"]?.text == Sample.device.rawValue)
        #expect(follow["teamId"]?.text == "6")
        #expect(follow["alerts"]?.text == "key")
        #expect(follow["startsLocally"] == nil)
        await phone.app.unfollow(Self.upcoming.id)
        try await phone.soon("it is unfollowed") {
            await phone.gateway.successes("POST /matches/42/unfollow").count == 1
        }
        #expect(await phone.gateway.follows[Sample.user] == [])
        await phone.end()
    }

    @Test func followsAreInUserDefaultsAtOnce() async throws {
        let phone = try await Phone(Self.upcoming)
        try await phone.launch()
        await phone.gateway.trouble("/follow", .held)
        let app = phone.app
        async let follow = app.follow(Self.upcoming)
        try await phone.soon("the call is under way") { await phone.gateway.heldCount == 1 }
        // The backend has not answered yet.
        #expect(phone.store.strings(forKey: "followedMatchIds") == ["42"])
        #expect(await phone.app.followButton(for: Self.upcoming.id) == FollowButton(.filled, isPending: true))
        await phone.gateway.release()
        _ = try await follow
        #expect(await phone.app.followButton(for: Self.upcoming.id) == FollowButton(.filled))
        // The next launch has the follow before any network.
        await phone.killApp()
        await phone.gateway.setOffline(true)
        await phone.app.start()
        #expect(await phone.app.followButton(for: Self.upcoming.id).state == .filled)
        await phone.end()
    }

    /// The unfollow is sent at the next opportunity.
    @Test func anUnfollowWithoutANetworkIsRetried() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        await phone.gateway.setOffline(true)
        await phone.app.unfollow(Self.match.id)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.empty, isPending: true))
        #expect(await phone.shown().isEmpty)
        #expect(await phone.managers.follows.pendingUnfollows() == [Self.match.id])
        try await phone.soon("it was tried") { await !phone.gateway.calls(Self.unfollowPath).isEmpty }
        await phone.gateway.setOffline(false)
        await phone.app.connectionRestored()
        try await phone.soon("it is unfollowed") { await phone.gateway.successes(Self.unfollowPath).count == 1 }
        try await phone.soon("nothing is pending") { await phone.app.followButton(for: Self.match.id) == .empty }
        await phone.end()
    }

    @Test func anUnfollowThatWasNeverHeardIsRetriedAtTheNextLaunch() async throws {
        let phone = try await Phone(Self.upcoming)
        try await phone.launch()
        try await phone.app.follow(Self.upcoming)
        await phone.gateway.setOffline(true)
        await phone.app.unfollow(Self.upcoming.id)
        await phone.killApp()
        await phone.gateway.setOffline(false)
        // The gateway still reports the match as followed; the user's last tap counts.
        try await phone.launch()
        try await phone.app.syncFollows()
        #expect(await phone.app.followButton(for: Self.upcoming.id).state == .empty)
        try await phone.soon("it is unfollowed") {
            await phone.gateway.successes("POST /matches/42/unfollow").count == 1
        }
        await phone.end()
    }

    /// The button is empty, filled, or filled with a warning, and pending in between.
    @Test func theFollowButtonHasThreeStatesAndIsBusyInBetween() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        #expect(await phone.app.followButton(for: Self.match.id) == .empty)
        try await phone.app.follow(Self.match)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.kit.setShowsActivities(false)
        try await phone.soon("the follow button warns") {
            await phone.app.followButton(for: Self.match.id).state == .filledWithWarning
        }
        try await phone.soon("the app knows") { await phone.managers.lifecycle.activities().isEmpty }
        await phone.kit.setShowsActivities(true)
        try await phone.soon("the follow button is content") {
            await phone.app.followButton(for: Self.match.id).state == .filled
        }
        #expect(Set(FollowButtonState.allCases) == [.empty, .filled, .filledWithWarning])
        await phone.end()
    }

    @Test func theFollowButtonWarnsWhenTheActivityCannotStart() async throws {
        var limits = PhoneLimits()
        limits.activitiesMax = 0
        let phone = try await Phone(Self.match, limits: limits)
        try await phone.launch()
        let response = try await phone.app.follow(Self.match)
        #expect(response.following)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filledWithWarning, showsAgain: true))
        await phone.end()
    }

    @Test func aLaunchReconcilesWithTheServer() async throws {
        let phone = try await Phone(Self.match, Self.upcoming, Sample.match(7, .upcoming))
        try await phone.launch()
        try await phone.app.follow(Self.upcoming)
        await phone.killApp()
        // On another phone one match was unfollowed and two were followed.
        await phone.gateway.setFollows([Self.match.id, MatchID(7)], of: Sample.user)
        let before = await phone.gateway.successes("GET /user/follows").count
        await phone.app.start()
        try await phone.soon("the follows are the server's") {
            await phone.managers.follows.followedMatchIds() == [Self.match.id, MatchID(7)]
        }
        #expect(await phone.gateway.successes("GET /user/follows").count == before + 1)
        #expect(phone.store.strings(forKey: "followedMatchIds") == ["7", "1304076"])
        await phone.end()
    }

    @Test func aSyncThatFailsIsRetried() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        await phone.gateway.setOffline(true)
        await phone.app.start()
        try await phone.soon("it was tried") { await !phone.gateway.calls("GET /user/follows").isEmpty }
        await phone.gateway.setOffline(false)
        try await phone.until("the follows are there") {
            await phone.managers.follows.followedMatchIds() == [Self.match.id]
        }
        await phone.end()
    }

    @Test func whatWasUnfollowedElsewhereEndsHere() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.gateway.setFollows([], of: Sample.user)
        try await phone.app.syncFollows()
        #expect(await phone.shown().isEmpty)
        #expect(await phone.app.followButton(for: Self.match.id) == .empty)
        #expect(await phone.gateway.calls(Self.unfollowPath).isEmpty)
        await phone.end()
    }

    @Test func aRefusedFollowEmptiesTheFollowButtonAgain() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        await phone.gateway.trouble("/follow", .refusal(409, "limit-reached"))
        await #expect(throws: APIError.self) { try await phone.app.follow(Self.match) }
        #expect(await phone.app.followButton(for: Self.match.id) == .empty)
        #expect(phone.store.strings(forKey: "followedMatchIds") == [])
        #expect(await phone.shown().isEmpty)
        await phone.end()
    }

    /// A follow whose answer was lost may have taken effect. The next sync tells.
    @Test func aFollowWhoseAnswerWasLostIsFoundByTheNextSync() async throws {
        let phone = try await Phone(Self.upcoming)
        try await phone.launch()
        await phone.gateway.trouble("/follow", .answerLost, .transport(.offline))
        let app = phone.app
        async let follow = app.follow(Self.upcoming)
        try await phone.until("it was tried twice") {
            await phone.gateway.calls("POST /matches/42/follow").count == 2
        }
        let answer = try? await follow
        #expect(answer == nil)
        try await phone.until("the follow button is filled and at rest") {
            await phone.app.followButton(for: Self.upcoming.id) == FollowButton(.filled)
        }
        await phone.end()
    }

    @Test func theLastTapCountsHoweverSlowTheFirstIs() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        await phone.gateway.trouble("/follow", .held)
        let app = phone.app
        async let follow = app.follow(Self.match)
        try await phone.soon("the call is under way") { await phone.gateway.heldCount == 1 }
        await phone.app.unfollow(Self.match.id)
        #expect(await phone.app.followButton(for: Self.match.id).state == .empty)
        // The unfollow waits for the follow, because the gateway goes by the order in which they arrive.
        #expect(await phone.gateway.calls(Self.unfollowPath).isEmpty)
        await phone.gateway.release()
        _ = try await follow
        try await phone.soon("it is unfollowed") { await phone.gateway.successes(Self.unfollowPath).count == 1 }
        #expect(await phone.gateway.follows[Sample.user] == [])
        #expect(await phone.shown().isEmpty)
        #expect(await phone.app.followButton(for: Self.match.id).state == .empty)
        await phone.end()
    }

    @Test func aFollowAfterAPendingUnfollowTakesItsPlace() async throws {
        let phone = try await Phone(Self.upcoming)
        try await phone.launch()
        try await phone.app.follow(Self.upcoming)
        await phone.gateway.setOffline(true)
        await phone.app.unfollow(Self.upcoming.id)
        try await phone.soon("it was tried") { await !phone.gateway.calls("POST /matches/42/unfollow").isEmpty }
        await phone.gateway.setOffline(false)
        try await phone.app.follow(Self.upcoming)
        #expect(await phone.managers.follows.pendingUnfollows().isEmpty)
        #expect(await phone.gateway.follows[Sample.user] == [Self.upcoming.id])
        #expect(await phone.gateway.successes("POST /matches/42/unfollow").isEmpty)
        await phone.end()
    }
}
