import FoundationEssentials
import Postgres
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestKit
import Testing

/// The app's services against the real gateway and moto's Cognito: accounts, tokens that the gateway takes, whole
/// launches.
///
/// They need what Tests/GatewayScenarios/app.py starts, which runs them.
@MainActor
@Suite(.serialized, .enabled(if: AppHarness.current != nil, "Tests/GatewayScenarios/app.py runs them"))
struct AppHarnessTests {
    private func email() -> String { "\(UUID().uuidString.lowercased())@example.com" }

    private func phone(
        _ device: String = "phone", signOut: CognitoSettings.SignOut = .thisPhone
    ) async throws -> HarnessApp { await HarnessApp(try AppHarness.required(), device: device, signOut: signOut) }

    // MARK: - Accounts

    @Test func signingUpVerifyingAndSigningInGivesATokenThatTheGatewayTakes() async throws {
        let phone = try await phone()
        let email = email()
        #expect(try await phone.auth.signUp(email: email, password: phone.harness.password))
        await #expect(throws: AuthError.notVerified) {
            try await phone.auth.signIn(email: email, password: phone.harness.password)
        }
        try await phone.auth.verifyEmail(code: "000000")
        let user = try await phone.auth.signIn(email: email, password: phone.harness.password)
        #expect(user.email == email && !user.isAdmin && user.id.rawValue.count == 36)
        #expect(phone.auth.currentUser == user)
        let token = try #require(await phone.auth.accessToken())
        #expect(try await phone.harness.status("GET", "/user/follows", bearer: token) == 200)
        #expect(try await phone.harness.status("GET", "/user/follows", bearer: nil) == 401)
        await phone.end()
    }

    @Test func whatMotoRefusesIsWhatTheUserCanDoSomethingAbout() async throws {
        let phone = try await phone()
        let email = email()
        await #expect(throws: AuthError.wrongCredentials) {
            try await phone.auth.signIn(email: email, password: phone.harness.password)
        }
        await #expect { try await phone.auth.signUp(email: email, password: "weak") } throws: { error in
            guard case AuthError.weakPassword = error else { return false }
            return true
        }
        try await phone.signUp(email)
        await #expect(throws: AuthError.emailTaken) {
            try await phone.auth.signUp(email: email, password: phone.harness.password)
        }
        await #expect(throws: AuthError.wrongCredentials) {
            try await phone.auth.signIn(email: email, password: "Wr0ng-horse!")
        }
        await phone.end()
    }

    @Test func aPasswordIsResetWithTheCodeThatWasSent() async throws {
        let phone = try await phone()
        let email = email()
        try await phone.signUp(email)
        try await phone.auth.resetPassword(email: email)
        // moto's letter.
        let code = try #require(
            phone.web.answers.last?.response.headers["x-moto-forgot-password-confirmation-code"])
        await #expect(throws: AuthError.self) {
            try await phone.auth.confirmResetPassword(
                code: "moto-confirmation-code:0", newPassword: "An0ther-horse!")
        }
        try await phone.auth.confirmResetPassword(code: code, newPassword: "An0ther-horse!")
        await #expect(throws: AuthError.wrongCredentials) {
            try await phone.auth.signIn(email: email, password: phone.harness.password)
        }
        try await phone.auth.signIn(email: email, password: "An0ther-horse!")
        await phone.end()
    }

    @Test func concurrentRefreshesAreOneAndTheGatewayTakesTheNewToken() async throws {
        let phone = try await phone()
        try await phone.signUp(email())
        let old = try #require(await phone.auth.accessToken())
        let before = phone.web.answers.count
        let auth = phone.auth
        let tokens = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { await auth.accessToken(insteadOf: old) } }
            var tokens: Set<String?> = []
            for await token in group { tokens.insert(token) }
            return tokens
        }
        #expect(tokens.count == 1)
        #expect(phone.web.answers.count == before + 1)
        let new = try #require(tokens.first ?? nil)
        #expect(new != old)
        #expect(try await phone.harness.status("GET", "/user/follows", bearer: new) == 200)
        await phone.end()
    }

    /// What the client reads of `cognito:groups`, and what the gateway makes of the same token.
    @Test(arguments: [("alice", false), ("carol", true)])
    func theGatewayJudgesAdministratorsForItself(name: String, isAdmin: Bool) async throws {
        let phone = try await phone()
        let user = try await phone.auth.signIn(email: name, password: phone.harness.password)
        #expect(user.isAdmin == isAdmin)
        let token = await phone.auth.accessToken()
        #expect(try await phone.harness.status("GET", "/admin/config", bearer: token) == (isAdmin ? 200 : 403))
        await phone.end()
    }

    @Test func aSignOutEverywhereEndsTheSessionOfTheOtherPhone() async throws {
        let (one, two) = (try await phone("one", signOut: .everywhere), try await phone("two"))
        let email = email()
        try await one.signUp(email)
        try await two.auth.signIn(email: email, password: two.harness.password)
        let token = try #require(await two.auth.accessToken())
        await one.auth.signOut()
        #expect(await two.auth.accessToken(insteadOf: token) == nil)
        #expect(two.auth.currentUser == nil)
        await one.end()
        await two.end()
    }

    // MARK: - Launches

    /// A phone whose user follows the match; its app is killed.
    private func used() async throws -> HarnessApp {
        let phone = try await phone(UUID().uuidString)
        try await phone.signUp(email())
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == .ready)
        let api = SightscreenAPI(
            transport: GatewayOverWeb(base: phone.harness.gateway, web: phone.web), session: phone.auth,
            clock: SystemClientClock())
        try await phone.liveActivities.follow(try await api.match(phone.harness.match))
        await phone.killApp()
        return phone
    }

    @Test func aColdStartTakesUpSessionAndFollows() async throws {
        let phone = try await used()
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == .ready)
        #expect(await phone.liveActivities.followButton(for: phone.harness.match).state == .filled)
        await phone.end()
    }

    @Test func aFirstLaunchWaitsForASignIn() async throws {
        let phone = try await phone(UUID().uuidString)
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == .halted(.signIn))
        try await phone.signUp(email())
        try await eventually("it goes on") { phone.bootstrap.state == .ready }
        await phone.end()
    }

    @Test func anOfflineStartGoesOnWithWhatIsKnown() async throws {
        let phone = try await used()
        phone.web.setOnline(false)
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == .ready)
        #expect(phone.auth.currentUser != nil)
        #expect(await phone.liveActivities.followButton(for: phone.harness.match).state == .filled)
        await phone.end()
    }

    @Test func maintenanceHaltsTheLaunchUntilItIsOver() async throws {
        let phone = try await used()
        try await phone.harness.setConfig(#"{"maintenanceMode":true,"maintenanceMessage":"Back at 10."}"#)
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == .halted(.maintenance(message: "Back at 10.")))
        try await phone.harness.setConfig(#"{"maintenanceMode":null,"maintenanceMessage":null}"#)
        await phone.bootstrap.retry()
        #expect(phone.bootstrap.state == .ready)
        await phone.end()
    }

    @Test func aForcedUpdateHaltsTheLaunchWithoutANetworkTooUntilItIsInstalled() async throws {
        let phone = try await used()
        try await phone.harness.setConfig(#"{"minAppVersion":"1.1.0","storeUrl":"https://apps.apple.com/app/id1"}"#)
        let screen = AppState.halted(.forceUpdate(minimum: "1.1.0", storeURL: "https://apps.apple.com/app/id1"))
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == screen)
        await phone.killApp()
        phone.web.setOnline(false)
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == screen)
        await phone.killApp(version: "1.1.0")
        phone.web.setOnline(true)
        await phone.bootstrap.start()
        #expect(phone.bootstrap.state == .ready)
        try await phone.harness.setConfig(#"{"minAppVersion":null,"storeUrl":null}"#)
        await phone.end()
    }

    // MARK: - Tokens

    @Test func bothTokensAreRegisteredOnceAndTakenBackAtTheSignOut() async throws {
        let phone = try await phone(UUID().uuidString)
        let database = try PostgresPool(url: phone.harness.databaseURL, applicationName: "app-harness")
        func registered() async throws -> [[String?]] {
            try await database.query(
                "SELECT device_token, push_to_start_token FROM devices WHERE device_id = $1",
                [.text(phone.device.rawValue)]
            ).map { [try $0.optionalString("device_token"), try $0.optionalString("push_to_start_token")] }
        }
        try await phone.signUp(email())
        let (deviceToken, startToken) = (await phone.kit.deviceToken, await phone.kit.startToken)
        await phone.notifications.registerDevice(token: deviceToken)
        await phone.bootstrap.start()
        try await eventually("both are there") {
            try await registered() == [[deviceToken.rawValue, startToken.rawValue]]
        }
        await phone.notifications.registerDevice(token: deviceToken)
        let calls = phone.web.answers.filter { $0.request.url.hasSuffix("/devices") && $0.request.method == "POST" }
        #expect(calls.count == 1)
        await phone.bootstrap.signOut()
        #expect(phone.bootstrap.state == .halted(.signIn))
        // The phone is remembered, and nothing reaches it.
        #expect(try await registered() == [[nil, nil]])
        #expect(await phone.auth.accessToken() == nil)
        await database.close()
        await phone.end()
    }

    /// Somebody else signs in though nobody signed out: no push for the first one comes to this phone any more.
    @Test func anotherUserTakesThePhoneFromTheFirst() async throws {
        let phone = try await phone(UUID().uuidString)
        let database = try PostgresPool(url: phone.harness.databaseURL, applicationName: "app-harness")
        func startTokens(of user: AppUser) async throws -> [String?] {
            try await database.query(
                "SELECT push_to_start_token FROM devices WHERE device_id = $1 AND user_id = $2",
                [.text(phone.device.rawValue), .text(user.id.rawValue)]
            ).map { try $0.optionalString("push_to_start_token") }
        }
        let first = try await phone.signUp(email())
        let token = await phone.kit.startToken.rawValue
        await phone.bootstrap.start()
        try await eventually("it is the first one's") { try await startTokens(of: first) == [token] }
        let second = try await phone.signUp(email())
        try await eventually("it is the second one's") { try await startTokens(of: second) == [token] }
        let left = try await startTokens(of: first).compactMap { $0 }
        #expect(left.isEmpty)
        try await eventually("it is ready") { phone.bootstrap.state == .ready }
        await database.close()
        await phone.end()
    }
}
