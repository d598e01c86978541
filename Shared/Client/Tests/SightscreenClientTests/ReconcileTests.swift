import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The app reports its activities, and follows the backend's answer.
@Suite struct ReconcileTests {
    private static let match = Sample.match(1_304_076)

    /// Returns a phone that shows an activity of the match, with the app running.
    private func showing() async throws -> (Phone, ActivityID) {
        let phone = try await Phone(Self.match)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        try await phone.launch()
        try await phone.pushStart(Self.match.id)
        return (phone, try await phone.registeredActivity(Self.match.id))
    }

    /// Sends the silent push as apns-simulator delivers it.
    private func ask(_ phone: Phone, about match: MatchID? = match.id, confirm: String? = nil) async throws {
        let body = try TestPush.reconcile(matchID: match, confirm: confirm).encoded()
        let outcome = await phone.kit.receive(
            RawPush(token: await phone.kit.deviceToken.rawValue, headers: ["apns-push-type": "background"], body: body))
        guard case .wakesApp(let push) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(push.purpose == .reconcile)
        let before = await phone.gateway.successes("POST /devices").count
        await phone.app.receive(push)
        try await phone.soon("the app has answered") {
            await phone.gateway.successes("POST /devices").count > before
        }
    }

    /// Another user was signed in on this phone, and the backend never got the sign-out.
    @Test func whoSignsInOnAnothersPhoneShowsThatItIsInTheirHands() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.keepTokens(until: "6f1c")
        await phone.app.start()
        try await phone.until("the app waits") {
            await !phone.gateway.successes("POST /devices/push-to-start-token").isEmpty
        }
        #expect(await phone.gateway.startTokens.isEmpty)
        // The app tries again by itself, without effect.
        let before = await phone.gateway.successes("POST /devices/push-to-start-token").count
        try await phone.until("it tries again") {
            await phone.gateway.successes("POST /devices/push-to-start-token").count > before
        }
        #expect(await phone.gateway.startTokens.isEmpty)
        try await ask(phone, about: nil, confirm: "6f1c")
        #expect(await phone.gateway.calls("POST /devices/confirm").map(\.status) == [204])
        try await phone.until("the tokens are theirs") { await !phone.gateway.startTokens.isEmpty }
        await phone.end()
    }

    /// Another account claims the phone of the user who is signed in on it; the echo refuses that.
    @Test func anotherUsersClaimToThePhoneIsRefused() async throws {
        let (phone, _) = try await showing()
        await phone.gateway.keepTokens(until: "6f1c")
        try await ask(phone, about: nil, confirm: "6f1c")
        #expect(await phone.gateway.calls("POST /devices/confirm").map(\.status) == [204])
        await phone.end()
    }

    /// The push of another account's claim comes before this user's registration, and its nonce is as good.
    @Test func aNonceThatCameTooEarlyIsEchoedAgainAfterTheRegistration() async throws {
        let phone = try await Phone(Self.match)
        await phone.gateway.keepTokens(until: "6f1c")
        await phone.gateway.trouble(
            "/devices", .refusal(503, "unavailable", retryAfter: 5), .refusal(503, "unavailable"))
        await phone.app.start()
        let body = try TestPush.reconcile(matchID: nil, confirm: "6f1c").encoded()
        guard
            case .wakesApp(let push) = await phone.kit.receive(
                RawPush(
                    token: await phone.kit.deviceToken.rawValue, headers: ["apns-push-type": "background"], body: body))
        else {
            Issue.record("the push is not delivered")
            return
        }
        // The push is answered when all is sent, and that takes time.
        let answering = Task { [app = phone.app] in await app.receive(push) }
        try await phone.until("the tokens are theirs") { await !phone.gateway.startTokens.isEmpty }
        let answers = await phone.gateway.calls("POST /devices/confirm").map(\.status)
        #expect(answers.first == 404 && answers.last == 204)
        await phone.end()
        answering.cancel()
    }

    private func reported(_ phone: Phone) async -> DeviceRegistration? {
        await phone.gateway.devices[Sample.device]
    }

    @Test func aReconcilePushIsAnsweredWithTheCardsAndTheLastRestart() async throws {
        let (phone, id) = try await showing()
        try await ask(phone)
        let report = try #require(await reported(phone))
        #expect(report.activities?.map(\.activityId) == [id])
        #expect(report.activities?.map(\.state) == [.active])
        #expect(report.bootedAt == Sample.profile.bootedAt && report.bootedAt != nil)
        await phone.end()
    }

    /// The user removed the activity while the app did not run. The app does not report it and starts no other.
    @Test func aCardThatWasSwipedAwayIsOfferedAgainAndNotStarted() async throws {
        let (phone, id) = try await showing()
        await phone.killApp()
        await phone.kit.dismiss(id)
        await phone.gateway.judgeCards(gone: [Self.match.id])
        try await phone.launch()
        try await phone.until("the app knows") {
            await phone.app.followButton(for: Self.match.id) == FollowButton(.filledWithWarning, showsAgain: true)
        }
        #expect(await reported(phone)?.activities == [])
        #expect(await phone.shown().isEmpty)
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-dismissed").isEmpty)
        await phone.kit.setForeground(true)
        try await phone.app.showAgain(Self.match)
        #expect(await phone.shown().map(\.matchID) == [Self.match.id])
        let button = FollowButton(.filled)
        try await phone.soon("nothing is offered") { await phone.app.followButton(for: Self.match.id) == button }
        await phone.end()
    }

    /// Returns a phone that lost the card of a match with a followed side while the app did not run.
    private func withoutItsCard() async throws -> Phone {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match, teamID: "2", alerts: nil)
        let id = try await phone.registeredActivity(Self.match.id)
        await phone.killApp()
        await phone.kit.dismiss(id)
        return phone
    }

    /// The app's new process learns the followed side from the backend.
    @Test func aCardThatIsShownAgainHasTheFollowedSideFirst() async throws {
        let phone = try await withoutItsCard()
        await phone.gateway.judgeCards(gone: [Self.match.id])
        try await phone.launch()
        try await phone.until("the app offers it") {
            await phone.app.followButton(for: Self.match.id).showsAgain
        }
        // In the background nothing can start, and the offer stays.
        await phone.kit.setForeground(false)
        try await phone.app.showAgain(Self.match)
        #expect(await phone.app.followButton(for: Self.match.id).showsAgain)
        await phone.kit.setForeground(true)
        try await phone.app.showAgain(Self.match)
        let card = try #require(await phone.kit.activities().first)
        #expect(MatchCard(card).layout(.lockScreen).rows[0].leading[0].text == "CSK")
        try await phone.soon("nothing is offered") { await !phone.app.followButton(for: Self.match.id).showsAgain }
        #expect(await phone.gateway.follows[Sample.user] == [Self.match.id])
        #expect(await phone.gateway.calls("POST /matches/1304076/unfollow").isEmpty)
        await phone.end()
    }

    /// The notification is the backend's last means to have a card started.
    @Test func aTappedNotificationStartsACardWithTheFollowedSideFirst() async throws {
        let phone = try await withoutItsCard()
        await phone.kit.setForeground(true)
        let app = phone.app
        async let received: Void = app.receive(AppPush(kind: .opened, matchID: Self.match.id))
        try await phone.until("it is there") { await !phone.kit.activities().isEmpty }
        await received
        #expect(await phone.kit.activities().map(\.attributes.followedTeamId) == ["2"])
        await phone.end()
    }

    /// The backend found the token dead, and could not be told the reason.
    @Test func aCardThatTheAppTookOffAtASignOutIsNotTakenForSwipedAway() async throws {
        let (phone, _) = try await showing()
        await phone.gateway.setOffline(true)
        await phone.app.signOut()
        await phone.session.signOut()
        let left = phone.clock.now
        #expect(await !phone.shown().contains(where: \.isRunning))
        await phone.gateway.setOffline(false)
        await phone.session.signIn(Sample.user, token: "good")
        try await phone.launch()
        try await phone.until("it is registered") { try await #require(reported(phone)).bootedAt ?? 0 > left }
        await phone.end()
    }

    @Test func whatShouldNotBeThereIsEnded() async throws {
        let (phone, id) = try await showing()
        await phone.gateway.setFollows([], of: Sample.user)
        await phone.gateway.judgeCards(end: [id, ActivityID("another")])
        try await ask(phone)
        try await phone.soon("it is ended") { await !phone.shown().contains(where: \.isRunning) }
        await phone.end()
    }

    @Test func aTokenThatTheBackendWantsAnewIsSentAgain() async throws {
        let (phone, id) = try await showing()
        #expect(await phone.gateway.successes("POST /matches/1304076/activity-token").count == 1)
        await phone.gateway.judgeCards(tokensWanted: [id])
        try await ask(phone)
        try await phone.soon("it is sent again") {
            await phone.gateway.successes("POST /matches/1304076/activity-token").count == 2
        }
        await phone.end()
    }

    /// The user did not remove it, and the backend must know that.
    @Test func aCardThatTheAppEndedAsStaleIsListedAsEnded() async throws {
        let (phone, id) = try await showing()
        await phone.kit.setForeground(true)
        await phone.app.enterForeground()
        try await phone.until("it is stale, and ended", step: .seconds(60)) {
            await !phone.shown().contains(where: \.isRunning)
        }
        // The system reports the end to the app a little later.
        try await phone.soon("the app knows") { await phone.managers.lifecycle.activities().isEmpty }
        try await ask(phone)
        // Entering the foreground sent a report of its own.
        try await phone.soon("it is listed as ended") {
            let listed = await reported(phone)?.activities ?? []
            return listed.map(\.activityId) == [id] && listed.map(\.state) == [.ended]
        }
        await phone.end()
    }
}
