import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The app's part in the life of a Live Activity.
@Suite struct DesignRowTests {
    private static let match = Sample.match()
    private static let tokenPath = "POST /matches/1304076/activity-token"
    private static let dismissedPath = "POST /matches/1304076/activity-dismissed"

    private func followed() async throws -> (Phone, ActivityID) {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        return (phone, try await phone.registeredActivity(Self.match.id))
    }

    /// A follow before play starts no activity on the phone.
    @Test func nothingStartsHereBeforePlay() async throws {
        let phone = try await Phone(Sample.match(42, .upcoming))
        try await phone.launch()
        try await phone.app.follow(Sample.match(42, .upcoming))
        #expect(await phone.gateway.calls("POST /matches/42/follow").first?.body?["startsLocally"] == nil)
        #expect(await phone.shown().isEmpty)
        await phone.end()
    }

    /// `startsLocally` tells the backend to send no push-to-start, so only a phone that can start an activity says it.
    @Test func aPhoneThatMayNotShowActivitiesDoesNotAnnounceOne() async throws {
        let phone = try await Phone(Self.match)
        await phone.kit.setShowsActivities(false)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        #expect(await phone.gateway.calls("POST /matches/1304076/follow").first?.body?["startsLocally"] == nil)
        #expect(await phone.app.followButton(for: Self.match.id).state == .filledWithWarning)
        #expect(await phone.gateway.devices[Sample.device]?.liveActivitiesEnabled == false)
        await phone.end()
    }

    @Test func aSecondFollowStartsNoSecondActivity() async throws {
        let (phone, id) = try await followed()
        try await phone.app.follow(Self.match, teamID: nil, alerts: AlertLevel.none)
        #expect(await phone.shown().map(\.id) == [id])
        #expect(await phone.gateway.calls("POST /matches/1304076/follow").last?.body?["startsLocally"] == nil)
        await phone.end()
    }

    /// The backend answers a token with 404 when the match is not followed, and the app ends the activity.
    @Test func aTokenThatIsRefusedEndsTheActivityHere() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        try await phone.app.syncFollows()
        try await phone.pushStart(Self.match.id)
        // The match was unfollowed on another phone.
        await phone.gateway.setFollows([], of: Sample.user)
        try await phone.until("it was refused") { await phone.gateway.calls(Self.tokenPath).first?.status == 404 }
        try await phone.soon("it is gone") { await phone.shown().isEmpty }
        try await phone.soon("the follow button is empty") {
            await phone.app.followButton(for: Self.match.id) == .empty
        }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        #expect(await phone.gateway.calls(Self.tokenPath).count == 1)
        await phone.end()
    }

    /// The backend sends an end with the final content to a token whose match is over.
    @Test func aTokenOfAFinishedMatchWaitsForItsEnd() async throws {
        let phone = try await Phone(Sample.match(1_304_076, .completed))
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        let id = try await phone.pushStart(Self.match.id)
        try await phone.until("it was answered") { await phone.gateway.successes(Self.tokenPath).count == 1 }
        try await phone.soon("it is known") { await phone.managers.tokens.lastSentToken(for: Self.match.id) != nil }
        #expect(await phone.shown().map(\.isRunning) == [true])
        try await phone.pushEnd(id, Sample.state(version: 9, .completed), dismissAt: phone.clock.now - 1)
        try await phone.soon("it is gone") { await phone.managers.lifecycle.activities().isEmpty }
        await phone.end()
    }

    /// Before an activity is too old, the backend starts a new one beside it. Both are registered by their ids.
    @Test func aRenewalReportsBothActivitiesByName() async throws {
        let (phone, old) = try await followed()
        let new = try await phone.pushStart(Self.match.id, start: "s-renewal")
        try await phone.until("the new one is registered") {
            await phone.gateway.activities[Self.match.id]?.id == new
        }
        // The backend ends the old activity, so the match stays followed.
        try await phone.pushEnd(old, Sample.state(version: 2), dismissAt: phone.clock.now - 1)
        try await phone.soon("the old one is gone") { await phone.managers.lifecycle.activities().map(\.id) == [new] }
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        let sent = await phone.gateway.successes(Self.tokenPath).map { $0.body?["activityId"]?.text }
        #expect(sent == [old.rawValue, new.rawValue])
        #expect(await phone.gateway.follows[Sample.user] == [Self.match.id])
        await phone.end()
    }

    /// A dismissal of one of two activities is recorded and does not unfollow the match.
    @Test func aDismissalOfTheOlderActivityKeepsTheFollow() async throws {
        let (phone, old) = try await followed()
        let new = try await phone.pushStart(Self.match.id, start: "s-renewal")
        try await phone.until("the new one is registered") {
            await phone.gateway.activities[Self.match.id]?.id == new
        }
        await phone.kit.dismiss(old)
        try await phone.soon("it is reported") { await phone.gateway.successes(Self.dismissedPath).count == 1 }
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        #expect(await phone.gateway.follows[Sample.user] == [Self.match.id])
        await phone.end()
    }

    /// iOS ends an activity after 8 h and removes it 4 h later. Neither is a dismissal by the user.
    @Test func whatTheSystemClearsAwayIsNoDismissal() async throws {
        let (phone, id) = try await followed()
        for _ in 1...31 {
            phone.clock.advance(seconds: 15 * 60)
            try await phone.pushUpdate(id, Sample.state(version: 2))
        }
        phone.clock.advance(seconds: 20 * 60)
        try await phone.soon("it had its 8 hours") {
            await phone.managers.lifecycle.activities().map(\.state) == [.ended]
        }
        try await phone.soon("the follow button warns") {
            await phone.app.followButton(for: Self.match.id).state == .filledWithWarning
        }
        phone.clock.advance(seconds: 4 * 3_600)
        try await phone.soon("it is gone") { await phone.managers.lifecycle.activities().isEmpty }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    /// Switching Live Activities off removes them and unfollows nothing.
    @Test func switchingActivitiesOffIsNoDismissal() async throws {
        let (phone, _) = try await followed()
        await phone.kit.setShowsActivities(false)
        try await phone.soon("it is gone") { await phone.managers.lifecycle.activities().isEmpty }
        try await phone.until("the gateway knows") {
            await phone.gateway.devices[Sample.device]?.liveActivitiesEnabled == false
        }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        #expect(await phone.gateway.follows[Sample.user] == [Self.match.id])
        await phone.end()
    }

    /// The registration contains `frequentPushesEnabled` and `activities`, none of which the backend starts again.
    @Test func thePhoneSaysWhatItAllowsAndWhatItShows() async throws {
        let (phone, id) = try await followed()
        await phone.kit.setFrequentPushes(false)
        try await phone.until("the gateway knows") {
            await phone.gateway.devices[Sample.device]?.frequentPushesEnabled == false
        }
        let running = await phone.gateway.devices[Sample.device]?.activities ?? []
        #expect(running.map(\.matchId) == [Self.match.id] && running.map(\.activityId) == [id])
        #expect(running.map(\.state) == [.active] && running.allSatisfy { $0.lastSeen != nil })
        await phone.end()
    }

    /// After a silent push the app registers again.
    @Test func aSilentPushLetsTheAppRegisterAgain() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        let body = try TestPush.reconcile(matchID: Self.match.id).encoded()
        let outcome = await phone.kit.receive(
            RawPush(token: await phone.kit.deviceToken.rawValue, headers: ["apns-push-type": "background"], body: body))
        guard case .wakesApp(let push) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        await phone.app.receive(push)
        try await phone.soon("the token is registered again") {
            await phone.gateway.successes("POST /devices/push-to-start-token").count == 2
        }
        #expect(await phone.gateway.successes("POST /devices").count == 2)
        await phone.end()
    }

    /// The user opens the notification, and the app starts the activity.
    @Test func aNotificationThatIsOpenedStartsTheActivity() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        try await phone.app.syncFollows()
        let alert = PushAlert(title: "MI v CSK is live", body: "Open to see it on your Lock Screen")
        let body = try TestPush.visible(matchID: Self.match.id, alert: alert).encoded()
        let outcome = await phone.kit.receive(
            RawPush(token: await phone.kit.deviceToken.rawValue, headers: ["apns-push-type": "alert"], body: body))
        guard case .notifies(let push?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        await phone.app.receive(push)
        #expect(await phone.shown().map(\.matchID) == [Self.match.id])
        _ = try await phone.registeredActivity(Self.match.id)
        await phone.end()
    }

    /// An opened app registers again, at most once a minute.
    @Test func anAppThatIsOpenedRegistersAgain() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        await phone.app.enterForeground()
        phone.clock.advance(seconds: 60)
        await phone.app.enterForeground()
        try await phone.soon("it registered again") { await phone.gateway.successes("POST /devices").count == 2 }
        await phone.app.enterForeground()
        try await phone.soon("it is at rest") {
            await phone.gateway.successes("POST /devices/push-to-start-token").count == 2
        }
        #expect(await phone.gateway.calls("POST /devices").count == 2)
        await phone.end()
    }

    /// A push token belongs to one device of one user.
    @Test func anotherUserSeesNothingOfTheFirst() async throws {
        let (phone, _) = try await followed()
        await phone.app.signOut()
        #expect(await phone.shown().isEmpty)
        #expect(phone.store.strings(forKey: "followedMatchIds") == nil)
        #expect(await phone.gateway.devices.isEmpty)
        await phone.session.signIn(UserID("ravi"), token: "other")
        await phone.gateway.accept("other", as: UserID("ravi"))
        try await phone.launch()
        #expect(await phone.app.followButton(for: Self.match.id) == .empty)
        #expect(await phone.gateway.calls("POST /devices").map(\.user) == [Sample.user, UserID("ravi")])
        #expect(
            await phone.gateway.calls("POST /devices/push-to-start-token").map(\.user) == [Sample.user, UserID("ravi")])
        await phone.end()
    }

    /// A start was under way when the user unfollowed.
    @Test func anActivityThatComesAfterAnUnfollowIsEnded() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        try await phone.app.syncFollows()
        await phone.gateway.setOffline(true)
        await phone.app.unfollow(Self.match.id)
        try await phone.pushStart(Self.match.id)
        try await phone.soon("it is gone") { await phone.shown().isEmpty }
        await phone.end()
    }

    /// A push starts an activity for a match that another phone of the user follows.
    @Test func aStartForAMatchThatIsFollowedElsewhereFillsTheFollowButton() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.syncFollows()
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func aStoppedAppLeavesNothingBehind() async throws {
        let (phone, id) = try await followed()
        await phone.app.enterForeground()
        await phone.app.stop()
        #expect(await phone.kit.listenerCount == 0)
        await phone.kit.dismiss(id)
        phone.clock.advance(seconds: 3_600)
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
        #expect(phone.clock.sleeperCount == 0)
    }
}
