import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// Whole launches of the app in Shared/Client/docs/add-to-your-app.md: the users who may come in, and the services that
/// run.
@MainActor
@Suite struct LaunchTests {
    /// Returns a phone that has been used: signed in, with a follow, its app killed.
    private func used() async throws -> AppPhone {
        let phone = try await AppPhone()
        await phone.gateway.setFollows([AppPhone.match.id], of: Sample.user)
        try await phone.signIn()
        await phone.app.bootstrap.start()
        #expect(phone.state == .ready)
        await phone.relaunch()
        return phone
    }

    @Test func theFirstLaunchAsksWhoIsThereAndGoesOn() async throws {
        let phone = try await AppPhone()
        await phone.gateway.setFollows([AppPhone.match.id], of: Sample.user)
        await phone.app.bootstrap.start()
        #expect(phone.state == .halted(.signIn))
        // No service runs behind the screen.
        #expect(await phone.kit.listenerCount == 0)
        #expect(await phone.gateway.calls.isEmpty)
        try await phone.signIn()
        try await eventually("it is ready") { phone.state == .ready }
        #expect(await phone.app.liveActivities.followButton(for: AppPhone.match.id) == FollowButton(.filled))
        #expect(await phone.notificationPort.isRegistered)
        try await phone.until("the gateway knows the phone") {
            await phone.gateway.startTokens[Sample.device] == phone.kit.startToken
        }
        await phone.end()
    }

    @Test func aColdStartTakesUpSessionFollowsAndActivities() async throws {
        let phone = try await used()
        await phone.gateway.trouble("/user/follows", .held)
        let bootstrap = phone.app.bootstrap
        async let launched: Void = bootstrap.start()
        try await eventually("the follows are asked for") { await phone.gateway.heldCount == 1 }
        // Until the follows are there, nothing is observed, and the phone is not registered.
        #expect(phone.state == .launching(.followSync))
        #expect(await phone.kit.listenerCount == 0)
        #expect(await phone.gateway.calls.last?.line == "GET /user/follows")
        await phone.gateway.release()
        await launched
        #expect(phone.state == .ready)
        #expect(phone.app.auth.currentUser?.email == AppPhone.email)
        #expect(await phone.kit.listenerCount > 0)
        #expect(await phone.cognito.calls.count == 1)
        await phone.end()
    }

    /// The last known configuration and follows are used, and pending operations are sent when there is a network.
    @Test func anOfflineStartGoesOnWithWhatIsKnown() async throws {
        let phone = try await used()
        await phone.setOffline(true)
        await phone.app.bootstrap.start()
        #expect(phone.state == .ready)
        #expect(await phone.app.liveActivities.followButton(for: AppPhone.match.id) == FollowButton(.filled))
        #expect(phone.app.config.config == AppPhone.config())
        await phone.setOffline(false)
        await phone.gateway.setFollows([], of: Sample.user)
        await phone.app.liveActivities.connectionRestored()
        try await phone.until("the follows are the backend's") {
            await phone.app.liveActivities.followButton(for: AppPhone.match.id) == .empty
        }
        await phone.end()
    }

    /// Hours later the token has expired, too.
    @Test func anOfflineStartWithATokenThatHasRunOutIsOne() async throws {
        let phone = try await used()
        phone.clock.advance(seconds: 50_000)
        await phone.setOffline(true)
        await phone.app.bootstrap.start()
        #expect(phone.state == .ready)
        #expect(phone.app.auth.currentUser != nil)
        await phone.end()
    }

    @Test func aForcedUpdateStaysInForceWithoutANetwork() async throws {
        let phone = try await used()
        await phone.configGateway.say(AppPhone.config("2.0.0"))
        let screen = AppState.halted(.forceUpdate(minimum: "2.0.0", storeURL: AppPhone.config().storeUrl))
        await phone.app.bootstrap.start()
        #expect(phone.state == screen)
        await phone.relaunch()
        await phone.setOffline(true)
        await phone.app.bootstrap.start()
        #expect(phone.state == screen)
        // The update is installed, still without a network.
        await phone.relaunch(version: "2.0.0")
        await phone.app.bootstrap.start()
        #expect(phone.state == .ready)
        await phone.end()
    }

    @Test func maintenanceClosesTheAppAndOpensItAgain() async throws {
        let phone = try await used()
        await phone.configGateway.say(AppPhone.config(maintenance: true))
        await phone.app.bootstrap.start()
        #expect(phone.state == .halted(.maintenance(message: "Back at 10.")))
        #expect(await phone.kit.listenerCount == 0)
        await phone.configGateway.say(AppPhone.config())
        try await phone.until("it is ready") { phone.state == .ready }
        await phone.end()
    }

    @Test func aSessionThatWasRevokedMeanwhileAsksForASignIn() async throws {
        let phone = try await used()
        await phone.cognito.revokeAll()
        phone.clock.advance(seconds: 4_000)
        await phone.app.bootstrap.start()
        #expect(phone.state == .halted(.signIn))
        #expect(await phone.kit.listenerCount == 0)
        try await phone.signIn()
        try await eventually("it is ready") { phone.state == .ready }
        await phone.end()
    }

    @Test func aSignOutTakesThePhoneAndTheSession() async throws {
        let phone = try await used()
        await phone.app.bootstrap.start()
        try await phone.until("the gateway knows the phone") {
            await phone.gateway.startTokens[Sample.device] == phone.kit.startToken
        }
        await phone.app.bootstrap.signOut()
        #expect(phone.state == .halted(.signIn))
        #expect(await phone.gateway.devices.isEmpty)
        #expect(await phone.gateway.calls("DELETE /devices/\(Sample.device)").count == 1)
        #expect(await !phone.notificationPort.isRegistered)
        #expect(phone.keychain.names.isEmpty)
        #expect(await phone.cognito.sessionCount == 0)
        #expect(await phone.kit.listenerCount == 0)
        // The user signs in again.
        try await phone.signIn()
        try await eventually("it is ready") { phone.state == .ready }
        #expect(await phone.notificationPort.isRegistered)
        await phone.end()
    }

    /// A push starts an activity while the app does not run; the system wakes the app, and no window appears.
    @Test func aLaunchInTheBackgroundNeedsNoBootstrap() async throws {
        let phone = try await used()
        await phone.app.liveActivities.start()
        try await phone.until("the gateway knows the phone") {
            await phone.gateway.startTokens[Sample.device] == phone.kit.startToken
        }
        // The user opens it.
        let listeners = await phone.kit.listenerCount
        await phone.app.bootstrap.start()
        #expect(phone.state == .ready)
        #expect(await phone.kit.listenerCount == listeners)
        await phone.end()
    }

    // MARK: - The next user

    /// Whether the gateway has registered the phone for this user, with its push-to-start token.
    private func isRegistered(_ phone: AppPhone, _ user: UserID) async -> Bool {
        let (device, token) = (Sample.device, await phone.kit.startToken)
        let (owner, known) = (await phone.gateway.owners[device], await phone.gateway.startTokens[device])
        return owner == user && known == token
    }

    /// Whether an activity runs on the phone's screen.
    private func isShown(_ phone: AppPhone) async -> Bool {
        let activities = await phone.kit.activities
        return activities.contains { $0.state.isRunning }
    }

    /// Returns a phone on whose screen the first user has an activity.
    private func shown() async throws -> AppPhone {
        let phone = try await AppPhone()
        try await phone.signIn()
        await phone.app.bootstrap.start()
        try await phone.app.liveActivities.follow(AppPhone.match)
        try await phone.until("an activity is there, and the gateway has its token") {
            await phone.gateway.activities[AppPhone.match.id] != nil
        }
        #expect(await isRegistered(phone, Sample.user))
        return phone
    }

    /// Without a sign-out, the second user neither sees nor uses the first user's data, and receives none of the first
    /// user's pushes.
    @Test func anotherUserGetsNothingOfTheFirstOnes() async throws {
        let phone = try await shown()
        let token = try #require(await phone.app.auth.accessToken())
        await phone.gateway.trouble("/devices/\(Sample.device)", .held)
        let signIn = Task { try await phone.signIn(AppPhone.otherEmail) }
        try await eventually("the phone is taken from the first") { await phone.gateway.heldCount == 1 }
        // The call is for the first user, whose session is still valid, and the app cannot be used meanwhile.
        #expect(await phone.gateway.calls.last?.user == Sample.user)
        #expect(await phone.app.auth.accessToken() == token)
        #expect(phone.state == .launching(.authRestore))
        #expect(await phone.kit.listenerCount == 0)
        let afterFarewell = await phone.gateway.calls.count
        await phone.gateway.release()
        try await signIn.value
        try await eventually("it is ready") { phone.state == .ready }
        #expect(phone.app.auth.currentUser?.id == AppPhone.otherUser)
        #expect(await phone.app.liveActivities.followButton(for: AppPhone.match.id) == .empty)
        #expect(await !isShown(phone))
        #expect(phone.store.strings(forKey: "followedMatchIds") == [])
        try await phone.until("the phone is the second's") { await isRegistered(phone, AppPhone.otherUser) }
        let callers = await Set(phone.gateway.calls.dropFirst(afterFarewell).map(\.user))
        #expect(callers == [AppPhone.otherUser])
        // Nothing was unfollowed at the backend, because the first user has other phones.
        #expect(await phone.gateway.follows[Sample.user] == [AppPhone.match.id])
        #expect(await phone.notificationPort.isRegistered)
        // The first user's session is closed at Cognito, too.
        #expect(await phone.cognito.calls("RevokeToken").count == 1)
        #expect(await phone.cognito.sessionCount == 1)
        await phone.end()
    }

    /// Ends the session by itself: Cognito no longer knows it.
    private func endSession(_ phone: AppPhone) async throws {
        await phone.cognito.revokeAll()
        let token = try #require(await phone.app.auth.accessToken())
        #expect(await phone.app.auth.accessToken(insteadOf: token) == nil)
        try await eventually("it asks who is there") { phone.state == .halted(.signIn) }
    }

    /// Checks that the phone has nothing of the first user, and is registered as soon as the gateway can be reached.
    private func isTheSeconds(_ phone: AppPhone) async throws {
        #expect(await phone.app.liveActivities.followButton(for: AppPhone.match.id) == .empty)
        #expect(await !isShown(phone))
        await phone.gateway.setOffline(false)
        await phone.app.liveActivities.connectionRestored()
        try await phone.until("the phone is the second's") { await isRegistered(phone, AppPhone.otherUser) }
    }

    /// Without a network to the gateway, the farewell does only its local part.
    @Test func anotherUserGetsNothingThoughTheGatewayIsAway() async throws {
        let phone = try await shown()
        await phone.gateway.setOffline(true)
        try await phone.signIn(AppPhone.otherEmail)
        try await phone.until("it is ready") { phone.state == .ready }
        try await isTheSeconds(phone)
        await phone.end()
    }

    /// The first user's session ended by itself, so no farewell was possible.
    @Test func anotherUserAfterASessionThatEndedGetsNothingOfTheFirstOnes() async throws {
        let phone = try await shown()
        try await endSession(phone)
        #expect(await isShown(phone), "he may come back")
        // The gateway cannot be asked whose they are.
        await phone.gateway.setOffline(true)
        try await phone.signIn(AppPhone.otherEmail)
        try await phone.until("it is ready") { phone.state == .ready }
        try await isTheSeconds(phone)
        await phone.end()
    }

    /// The same user keeps everything.
    @Test func theSameUserAfterASessionThatEndedGoesOn() async throws {
        let phone = try await shown()
        try await endSession(phone)
        try await phone.signIn()
        try await eventually("it is ready") { phone.state == .ready }
        #expect(await phone.app.liveActivities.followButton(for: AppPhone.match.id).state == .filled)
        #expect(await isShown(phone))
        await phone.end()
    }

    /// The app was opened at nine, maintenance began at half past nine, and the sign-in comes at ten.
    @Test func aSignInLongAfterTheLaunchPassesTheGates() async throws {
        let phone = try await AppPhone()
        await phone.app.bootstrap.start()
        #expect(phone.state == .halted(.signIn))
        await phone.configGateway.say(AppPhone.config(maintenance: true))
        try await phone.signIn()
        try await eventually("it is halted") { phone.state == .halted(.maintenance(message: "Back at 10.")) }
        #expect(await phone.kit.listenerCount == 0)
        #expect(await phone.gateway.calls.isEmpty)
        await phone.configGateway.say(AppPhone.config())
        try await phone.until("it is ready") { phone.state == .ready }
        await phone.end()
    }

    /// A push woke the app, and the user then opens it during maintenance: nothing runs behind the screen.
    @Test func whatAPushBeganIsLetGoOfByAHalt() async throws {
        let phone = try await used()
        await phone.app.liveActivities.start()
        #expect(await phone.kit.listenerCount > 0)
        await phone.configGateway.say(AppPhone.config(maintenance: true))
        await phone.app.bootstrap.start()
        #expect(phone.state == .halted(.maintenance(message: "Back at 10.")))
        #expect(await phone.kit.listenerCount == 0)
        await phone.end()
    }

    /// The launch is stopped while the gateway is asked.
    @Test func aLaunchThatIsGivenUpLeavesNothingRunning() async throws {
        let phone = try await used()
        await phone.gateway.trouble("/user/follows", .held)
        let bootstrap = phone.app.bootstrap
        async let launched: Void = bootstrap.start()
        try await eventually("the follows are asked for") { await phone.gateway.heldCount == 1 }
        async let stopped: Void = bootstrap.stop()
        try await eventually("it is given up") {
            await phone.gateway.release()
            return phone.state == .launching(.configCheck)
        }
        await stopped
        await launched
        #expect(await phone.kit.listenerCount == 0)
        let calls = await phone.gateway.calls.count
        phone.clock.advance(seconds: 600)
        #expect(await phone.gateway.calls.count == calls)
        await phone.relaunch()
        await phone.app.bootstrap.start()
        #expect(phone.state == .ready)
        await phone.end()
    }
}
