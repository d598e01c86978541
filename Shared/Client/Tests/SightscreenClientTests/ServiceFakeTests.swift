import SightscreenClient
import SightscreenModels
import Testing

/// The fakes of accounts, notifications and configuration, for previews and tests.
@MainActor
@Suite struct ServiceFakeTests {
    @Test func aFakeAuthServiceKnowsAccountsAndRefusesWhatCognitoRefuses() async throws {
        let auth: any AuthService = FakeAuthService()
        await #expect(throws: AuthError.wrongCredentials) {
            try await auth.signIn(email: "a@example.com", password: "Long-enough-1")
        }
        await #expect(throws: AuthError.nothingToConfirm) { try await auth.verifyEmail(code: "1") }
        for address in ["", "a", "@", "a@", "@example.com", "a b@example.com"] {
            await #expect(throws: AuthError.invalidInput("Invalid email address format."), "\(address)") {
                try await auth.signUp(email: address, password: "Long-enough-1")
            }
        }
        #expect(try await auth.signUp(email: "a@example.com", password: "Long-enough-1"))
        await #expect(throws: AuthError.emailTaken) {
            try await auth.signUp(email: "a@example.com", password: "Long-enough-1")
        }
        await #expect(throws: AuthError.notVerified) {
            try await auth.signIn(email: "a@example.com", password: "Long-enough-1")
        }
        await #expect(throws: AuthError.wrongCode) { try await auth.verifyEmail(code: "1") }
        try await auth.verifyEmail(code: FakeAuthService.code)
        let user = try await auth.signIn(email: "a@example.com", password: "Long-enough-1")
        #expect(auth.currentUser == user)
        #expect(await auth.currentUserID() == user.id)
        #expect(await auth.accessToken() != nil)
        try await auth.resetPassword(email: "a@example.com")
        try await auth.confirmResetPassword(code: FakeAuthService.code, newPassword: "Another-one-2")
        await auth.signOut()
        #expect(await auth.accessToken() == nil)
        try await auth.signIn(email: "a@example.com", password: "Another-one-2")
    }

    /// A fake may use tokens from elsewhere, such as a development issuer.
    @Test func aFakeAuthServiceTakesTokensFromWhoeverMakesThem() async throws {
        let user = AppUser(id: UserID("asha"), email: "asha@example.com", isAdmin: true)
        let auth = FakeAuthService(left: user) { "made for \($0.id)" }
        #expect(auth.currentUser == nil)
        // As in the Keychain, the session is found by the first call that needs it.
        #expect(await auth.accessToken() == "made for asha")
        #expect(try await auth.restore() == user)
        // The issuer returns the same token, which is no other one.
        #expect(await auth.accessToken(insteadOf: "made for asha") == nil)
        await auth.signOut()
        #expect(try await auth.restore() == nil)
    }

    @Test func aFakeSignInTakesLeaveOfAnotherUserFirst() async throws {
        let (first, second) = (
            AppUser(id: UserID("asha"), email: "asha@example.com"), AppUser(id: UserID("bob"), email: "bob@example.com")
        )
        let auth = FakeAuthService(user: first)
        for user in [first, second] { auth.add(user, password: "p") }
        var farewells: [AppUser?] = []
        auth.beforeReplacement { farewells.append(auth.currentUser) }
        try await auth.signIn(email: first.email, password: "p")
        #expect(farewells.isEmpty)
        try await auth.signIn(email: second.email, password: "p")
        #expect(farewells == [first])
        #expect(auth.currentUser == second)
    }

    @Test func fakeNotificationsAnswerAsTold() async {
        let fake = FakeNotificationService(answer: .denied)
        let service: any NotificationService = fake
        #expect(service.permission == .notDetermined)
        #expect(await service.requestPermission() == .denied)
        #expect(!service.permission.shows)
        await service.registerDevice(token: DeviceToken("ab"))
        #expect(fake.token == DeviceToken("ab"))
        await service.unregisterDevice()
        #expect(fake.token == nil)
        await service.start()
        #expect(fake.starts == 1)
    }

    @Test func aFakeConfigAnswersAsTold() async throws {
        let fake = FakeAppConfigService(.maintenance(message: "x"))
        let service: any AppConfigService = fake
        #expect(service.gate == .open, "nobody has asked")
        #expect(try await service.check() == .maintenance(message: "x"))
        #expect(service.gate == .maintenance(message: "x"))
        fake.set(.open)
        #expect(service.gate == .maintenance(message: "x"), "nobody has asked again")
        fake.refuse(.transport(.offline))
        await #expect(throws: APIError.transport(.offline)) { try await service.check() }
        #expect(fake.checks == 2)
    }

    @Test func theGatewayIsOneAddressOfTheWeb() async throws {
        struct Echo: WebTransport {
            func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
                APIResponse(status: 200, headers: request.headers, body: Array("\(request.method) \(request.url)".utf8))
            }
        }
        let gateway = GatewayOverWeb(base: "https://api.sightscreen.app/", web: Echo())
        let answer = try await gateway.send(APIRequest(method: "GET", path: "/matches", headers: ["a": "b"]))
        #expect(answer.body == Array("GET https://api.sightscreen.app/matches".utf8))
        #expect(answer.headers == ["a": "b"])
    }
}
