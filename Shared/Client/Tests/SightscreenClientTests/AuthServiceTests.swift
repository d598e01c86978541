@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import TestSupport
import Testing

/// Accounts, sign-ins, and the life of a session.
@MainActor
@Suite struct AuthServiceTests {
    // MARK: - Accounts

    /// A sign-up creates a Cognito user, and the address needs a code.
    @Test func signUpCreatesAUserWhoNeedsACode() async throws {
        let phone = await Account()
        let needsCode = try await phone.auth.signUp(email: "bob@example.com ", password: "Long-enough-1")
        #expect(needsCode)
        #expect(await phone.cognito.accounts["bob@example.com"]?.isConfirmed == false)
        #expect(phone.auth.currentUser == nil)
        await #expect(throws: AuthError.emailTaken) {
            try await phone.auth.signUp(email: "bob@example.com", password: "Long-enough-1")
        }
        await #expect(throws: AuthError.weakPassword("Password did not conform with policy: Password not long enough"))
        {
            try await phone.auth.signUp(email: "eve@example.com", password: "short")
        }
    }

    @Test func verifyEmailConfirmsTheAddressWithTheCode() async throws {
        let phone = await Account()
        await #expect(throws: AuthError.nothingToConfirm) { try await phone.auth.verifyEmail(code: "1") }
        try await phone.auth.signUp(email: "bob@example.com", password: "Long-enough-1")
        await #expect(throws: AuthError.notVerified) {
            try await phone.auth.signIn(email: "bob@example.com", password: "Long-enough-1")
        }
        await #expect(throws: AuthError.wrongCode) { try await phone.auth.verifyEmail(code: "000000") }
        // The app is closed while its user looks for the message.
        phone.killApp()
        try await phone.auth.verifyEmail(code: " \(ScriptedCognito.code)")
        let user = try await phone.auth.signIn(email: "bob@example.com", password: "Long-enough-1")
        #expect(user.email == "bob@example.com")
        await #expect(throws: AuthError.nothingToConfirm) { try await phone.auth.verifyEmail(code: "1") }
    }

    @Test func signInReceivesTokens() async throws {
        let phone = await Account()
        let user = try await phone.signIn()
        #expect(user == AppUser(id: UserID(Account.sub), email: Account.email))
        let token = try #require(await phone.auth.accessToken())
        #expect(TokenClaims(token: token)?.sub == user.id)
        let call = try #require(await phone.cognito.flows("USER_PASSWORD_AUTH").last)
        #expect(call.body["ClientId"]?.text == ScriptedCognito.clientID)
        await #expect(throws: AuthError.wrongCredentials) {
            try await phone.auth.signIn(email: Account.email, password: "wrong")
        }
        await #expect(throws: AuthError.wrongCredentials) {
            try await phone.auth.signIn(email: "nobody@example.com", password: Account.password)
        }
        // A failed sign-in leaves the session as it was.
        #expect(phone.auth.currentUser == user)
    }

    @Test func resetPasswordSendsACode() async throws {
        let phone = await Account()
        try await phone.auth.resetPassword(email: Account.email)
        #expect(await phone.cognito.calls("ForgotPassword").map(\.status) == [200])
        // The app does not reveal whether an account exists, even if the pool does.
        try await phone.auth.resetPassword(email: "nobody@example.com")
        #expect(await phone.cognito.calls("ForgotPassword").map(\.status) == [200, 400])
    }

    @Test func confirmResetPasswordSetsTheNewPassword() async throws {
        let phone = await Account()
        await #expect(throws: AuthError.nothingToConfirm) {
            try await phone.auth.confirmResetPassword(code: "1", newPassword: "An0ther-horse!")
        }
        try await phone.auth.resetPassword(email: Account.email)
        await #expect(throws: AuthError.wrongCode) {
            try await phone.auth.confirmResetPassword(code: "000000", newPassword: "An0ther-horse!")
        }
        phone.killApp()
        try await phone.auth.confirmResetPassword(code: ScriptedCognito.code, newPassword: "An0ther-horse!")
        await #expect(throws: AuthError.wrongCredentials) { try await phone.signIn() }
        try await phone.auth.signIn(email: Account.email, password: "An0ther-horse!")
    }

    @Test func signOutClearsTokensAndSession() async throws {
        let phone = await Account()
        try await phone.signIn()
        #expect(phone.keychain.names == [SessionStore.sessionName])
        await phone.auth.signOut()
        #expect(phone.auth.currentUser == nil)
        #expect(await phone.auth.currentUserID() == nil)
        #expect(await phone.auth.accessToken() == nil)
        #expect(phone.keychain.names.isEmpty)
        #expect(await phone.cognito.calls("RevokeToken").count == 1)
        #expect(await phone.cognito.sessionCount == 0)
        phone.killApp()
        #expect(try await phone.auth.restore() == nil)
    }

    @Test func aDeletedUserIsInNeitherThePoolNorThePhone() async throws {
        let phone = await Account()
        try await phone.signIn()
        // The token that a call needs is renewed first.
        phone.clock.advance(seconds: 3_600)
        try await phone.auth.deleteUser()
        #expect(await phone.cognito.calls("DeleteUser").map(\.status) == [200])
        #expect(phone.auth.currentUser == nil)
        #expect(phone.keychain.names.isEmpty)
        await #expect(throws: AuthError.wrongCredentials) { try await phone.signIn() }
        await #expect(throws: AuthError.sessionEnded) { try await phone.auth.deleteUser() }
    }

    @Test func aDeletionWhoseAnswerWasLostIsDoneAtTheSecondCall() async throws {
        let phone = await Account()
        try await phone.signIn()
        await phone.cognito.trouble("DeleteUser", .transport(.timeout))
        await #expect(throws: AuthError.transport(.timeout)) { try await phone.auth.deleteUser() }
        #expect(phone.auth.currentUser != nil)
        await phone.cognito.trouble(
            "DeleteUser", .refusal("UserNotFoundException", "User does not exist.", status: 400))
        try await phone.auth.deleteUser()
        #expect(phone.auth.currentUser == nil)
    }

    @Test func currentUserIsWhoIsSignedIn() async throws {
        let phone = await Account()
        var users = phone.auth.users().makeAsyncIterator()
        #expect(await users.next() == .some(nil))
        #expect(phone.auth.currentUser == nil)
        let user = try await phone.signIn()
        #expect(phone.auth.currentUser == user)
        #expect(await phone.auth.currentUserID() == user.id)
        #expect(await users.next() == user)
        await phone.auth.signOut()
        #expect(await users.next() == .some(nil))
    }

    /// A user in the group `admin` of `cognito:groups` is an administrator.
    @Test(arguments: [([], false), (["fans"], false), (["fans", "admin"], true), (["Admin"], false)])
    func theAdminGroupOfTheTokenMakesAnAdministrator(groups: [String], isAdmin: Bool) async throws {
        let phone = await Account(groups: groups)
        #expect(try await phone.signIn().isAdmin == isAdmin)
    }

    /// The client only reads the claims and does not verify them. A refresh brings the current groups.
    @Test func adminDetectionReadsTheTokenAndFollowsIt() async throws {
        let forged = ScriptedCognito.token(["sub": .string("eve"), "cognito:groups": .array([.string("admin")])])
        #expect(TokenClaims(token: forged)?.groups == ["admin"])
        let phone = await Account(groups: ["admin"])
        try await phone.signIn()
        await phone.cognito.setGroups([], of: Account.email)
        phone.clock.advance(seconds: 3_600)
        _ = await phone.auth.accessToken()
        #expect(phone.auth.currentUser?.isAdmin == false)
    }

    // MARK: - Launches

    @Test func aSessionSurvivesTheAppWithoutANetwork() async throws {
        let phone = await Account(groups: ["admin"])
        let user = try await phone.signIn()
        let token = await phone.auth.accessToken()
        phone.killApp()
        await phone.cognito.setOffline(true)
        #expect(phone.auth.currentUser == nil)
        #expect(try await phone.auth.restore() == user)
        #expect(await phone.auth.accessToken() == token)
        #expect(await phone.cognito.calls.count == 1)
    }

    /// A push wakes the app, and no code has called `restore`.
    @Test func theSessionIsReadByWhoeverAsksFirst() async throws {
        let phone = await Account()
        let user = try await phone.signIn()
        phone.killApp()
        #expect(await phone.auth.currentUserID() == user.id)
    }

    @Test func anAppThatIsInstalledAnewBeginsSignedOut() async throws {
        let phone = await Account()
        try await phone.signIn()
        phone.installAnew()
        #expect(try await phone.auth.restore() == nil)
        #expect(phone.keychain.names.isEmpty)
    }

    @Test func aSessionOfAnotherPoolIsOfNoUse() async throws {
        let phone = await Account()
        try await phone.signIn()
        phone.killApp(clientID: "another")
        #expect(try await phone.auth.restore() == nil)
    }

    /// Before the first unlock the app is neither signed in nor signed out.
    @Test func aLockedKeychainIsNoSignOut() async throws {
        let phone = await Account()
        let user = try await phone.signIn()
        phone.killApp()
        phone.keychain.trouble(.locked)
        await #expect(throws: AuthError.keychain(.locked)) { try await phone.auth.restore() }
        #expect(await phone.auth.currentUserID() == nil)
        phone.keychain.trouble(nil)
        #expect(try await phone.auth.restore() == user)
    }

    /// A session that stays in the Keychain after a failed sign-out is not valid.
    @Test func aSignOutHoldsThoughTheKeychainFails() async throws {
        let phone = await Account()
        try await phone.signIn()
        phone.keychain.trouble(.failed(-1))
        await phone.auth.signOut()
        phone.keychain.trouble(nil)
        #expect(!phone.keychain.names.isEmpty)
        phone.killApp()
        #expect(try await phone.auth.restore() == nil)
        #expect(phone.keychain.names.isEmpty)
    }

    @Test func aSessionThatCannotBeKeptIsGoodWhileTheAppRuns() async throws {
        let phone = await Account()
        phone.keychain.trouble(.failed(-1))
        let log = DebugLogService()
        try await AppLogger.with([log]) { try await phone.signIn() }
        #expect(await phone.auth.accessToken() != nil)
        #expect(log.events.contains { $0.level == .error && $0.category == .auth })
    }

    // MARK: - Refreshes

    @Test func aTokenThatEndsSoonIsRefreshedBeforeItIsUsed() async throws {
        let phone = await Account()
        try await phone.signIn()
        let first = await phone.auth.accessToken()
        phone.clock.advance(seconds: 3_600 - CognitoAuthService.refreshAhead - 1)
        #expect(await phone.auth.accessToken() == first)
        phone.clock.advance(seconds: 1)
        let second = await phone.auth.accessToken()
        #expect(second != nil && second != first)
        #expect(await phone.cognito.flows("REFRESH_TOKEN_AUTH").count == 1)
        // The refreshed token is stored with the old refresh token.
        phone.killApp()
        #expect(await phone.auth.accessToken() == second)
        phone.clock.advance(seconds: 7_200)
        #expect(await phone.auth.accessToken() != second)
    }

    @Test func concurrentCallsShareOneRefresh() async throws {
        let phone = await Account()
        try await phone.signIn()
        let old = try #require(await phone.auth.accessToken())
        phone.clock.advance(seconds: 4_000)
        await phone.cognito.trouble("InitiateAuth", .held)
        let auth = phone.auth
        async let calls = withTaskGroup(of: String?.self) { group in
            for index in 0..<20 {
                group.addTask {
                    await index.isMultiple(of: 2) ? auth.accessToken() : auth.accessToken(insteadOf: old)
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        try await eventually("one is under way") { await phone.cognito.heldCount == 1 }
        await phone.cognito.release()
        let tokens = await calls
        #expect(Set(tokens).count == 1 && tokens.first != .some(old) && tokens.count == 20)
        #expect(await phone.cognito.flows("REFRESH_TOKEN_AUTH").count == 1)
    }

    @Test func aRefusedTokenIsReplacedOnce() async throws {
        let phone = await Account()
        try await phone.signIn()
        let first = try #require(await phone.auth.accessToken())
        let second = await phone.auth.accessToken(insteadOf: first)
        #expect(second != nil && second != first)
        // The first token was refused for another call, too.
        #expect(await phone.auth.accessToken(insteadOf: first) == second)
        #expect(await phone.cognito.flows("REFRESH_TOKEN_AUTH").count == 1)
    }

    /// The user stays signed in; the call fails for lack of a network.
    @Test func withoutANetworkTheSessionStays() async throws {
        let phone = await Account()
        let user = try await phone.signIn()
        let token = try #require(await phone.auth.accessToken())
        phone.clock.advance(seconds: 4_000)
        await phone.cognito.setOffline(true)
        #expect(await phone.auth.accessToken() == token)
        #expect(await phone.auth.accessToken(insteadOf: token) == nil)
        #expect(phone.auth.currentUser == user)
        let tries = await phone.cognito.flows("REFRESH_TOKEN_AUTH").count
        // A screen with ten calls does not wait ten times.
        #expect(await phone.auth.accessToken() == token)
        #expect(await phone.cognito.flows("REFRESH_TOKEN_AUTH").count == tries)
        await phone.cognito.setOffline(false)
        phone.clock.advance(seconds: CognitoAuthService.refreshPause)
        #expect(await phone.auth.accessToken() != token)
    }

    @Test(arguments: [
        ScriptedCognito.Trouble.refusal("InternalErrorException", status: 500), .refusal("TooManyRequestsException"),
        .refusal("ResourceNotFoundException"), .transport(.timeout),
    ])
    func whatPassesDoesNotEndTheSession(trouble: ScriptedCognito.Trouble) async throws {
        let phone = await Account()
        let user = try await phone.signIn()
        let token = try #require(await phone.auth.accessToken())
        await phone.cognito.trouble("InitiateAuth", trouble)
        #expect(await phone.auth.accessToken(insteadOf: token) == nil)
        #expect(phone.auth.currentUser == user)
        #expect(phone.keychain.names == [SessionStore.sessionName])
    }

    @Test func aRevokedSessionEnds() async throws {
        let phone = await Account()
        try await phone.signIn()
        let token = try #require(await phone.auth.accessToken())
        var users = phone.auth.users().makeAsyncIterator()
        _ = await users.next()
        await phone.cognito.revokeAll()
        #expect(await phone.auth.accessToken(insteadOf: token) == nil)
        #expect(phone.auth.currentUser == nil)
        #expect(await users.next() == .some(nil))
        #expect(phone.keychain.names.isEmpty)
    }

    /// The answer to a refresh after a sign-out does not restore the session.
    @Test func aLateRefreshDoesNotUndoASignOut() async throws {
        let phone = await Account()
        try await phone.signIn()
        let token = try #require(await phone.auth.accessToken())
        await phone.cognito.trouble("InitiateAuth", .answerHeld)
        let auth = phone.auth
        async let late = auth.accessToken(insteadOf: token)
        try await eventually("it is under way") { await phone.cognito.heldCount == 1 }
        await phone.auth.signOut()
        await phone.cognito.release()
        #expect(await late == nil)
        #expect(phone.auth.currentUser == nil)
        #expect(phone.keychain.names.isEmpty)
        #expect(await phone.auth.accessToken() == nil)
    }

    @Test func aLateRefreshDoesNotDisturbTheNextSession() async throws {
        let phone = await Account()
        try await phone.signIn()
        let token = try #require(await phone.auth.accessToken())
        await phone.cognito.trouble("InitiateAuth", .answerHeld)
        let auth = phone.auth
        async let late = auth.accessToken(insteadOf: token)
        try await eventually("it is under way") { await phone.cognito.heldCount == 1 }
        await phone.auth.signOut()
        await phone.cognito.add("bob@example.com", .init(sub: "bob", password: "p"))
        let bob = try await phone.auth.signIn(email: "bob@example.com", password: "p")
        await phone.cognito.release()
        _ = await late
        #expect(phone.auth.currentUser == bob)
        #expect(TokenClaims(token: await phone.auth.accessToken() ?? "")?.sub == bob.id)
    }

    @Test func aSignInThatIsOvertakenByASignOutIsNone() async throws {
        let phone = await Account()
        try await phone.signIn()
        await phone.cognito.trouble("InitiateAuth", .answerHeld)
        let auth = phone.auth
        let late = Task { try await auth.signIn(email: Account.email, password: Account.password) }
        try await eventually("it is under way") { await phone.cognito.heldCount == 1 }
        await phone.auth.signOut()
        await phone.cognito.release()
        await #expect(throws: AuthError.transport(.cancelled)) { try await late.value }
        #expect(phone.auth.currentUser == nil)
    }

    // MARK: - Another user

    /// Returns a phone with a second account.
    private func withBob() async throws -> Account {
        let phone = await Account()
        await phone.cognito.add("bob@example.com", .init(sub: "bob", password: "p"))
        try await phone.signIn()
        return phone
    }

    /// The farewell of the first user runs while that session is valid. Then the session is closed at Cognito.
    @Test func anotherUserWaitsForTheFarewell() async throws {
        let phone = try await withBob()
        let auth = phone.auth
        var farewells: [UserID?] = []
        auth.beforeReplacement {
            farewells.append(await auth.currentUserID())
            #expect(TokenClaims(token: await auth.accessToken() ?? "")?.sub == UserID(Account.sub))
        }
        let bob = try await auth.signIn(email: "bob@example.com", password: "p")
        #expect(farewells == [UserID(Account.sub)])
        #expect(auth.currentUser == bob)
        let revoked = await phone.cognito.calls("RevokeToken")
        #expect(revoked.map { $0.body["Token"]?.text } == ["refresh-1"])
        #expect(await phone.cognito.sessionCount == 1)
        phone.killApp()
        #expect(try await phone.auth.restore() == bob)
    }

    /// A sign-in of the same user needs no farewell.
    @Test func theSameUserTakesNoLeave() async throws {
        let phone = try await withBob()
        phone.auth.beforeReplacement { Issue.record("nobody leaves") }
        try await phone.signIn()
        await #expect(throws: AuthError.wrongCredentials) {
            try await phone.auth.signIn(email: "bob@example.com", password: "wrong")
        }
        #expect(await phone.cognito.sessionCount == 1)
    }

    /// A session in the Keychain counts, too, even if it was not read yet.
    @Test func aSessionThatNobodyHasReadIsTakenLeaveOf() async throws {
        let phone = try await withBob()
        phone.killApp()
        var farewells = 0
        phone.auth.beforeReplacement { farewells += 1 }
        try await phone.auth.signIn(email: "bob@example.com", password: "p")
        #expect(farewells == 1)
    }

    /// The first session proves to be over during the farewell. The second one begins all the same.
    @Test func aFarewellThatIsRefusedKeepsNobodyOut() async throws {
        let phone = try await withBob()
        let auth = phone.auth
        auth.beforeReplacement { [cognito = phone.cognito] in
            await cognito.revokeAll()
            let token = await auth.accessToken() ?? ""
            #expect(await auth.accessToken(insteadOf: token) == nil)
        }
        let bob = try await auth.signIn(email: "bob@example.com", password: "p")
        #expect(auth.currentUser == bob)
        #expect(TokenClaims(token: await auth.accessToken() ?? "")?.sub == bob.id)
    }

    /// The user signs out during the farewell, and no user is signed in then.
    @Test func aSignOutDuringTheFarewellHolds() async throws {
        let phone = try await withBob()
        let auth = phone.auth
        auth.beforeReplacement { await auth.signOut() }
        await #expect(throws: AuthError.transport(.cancelled)) {
            try await auth.signIn(email: "bob@example.com", password: "p")
        }
        #expect(auth.currentUser == nil)
        #expect(phone.keychain.names.isEmpty)
    }

    // MARK: - Sign-outs

    @Test func aSignOutWithoutANetworkIsOne() async throws {
        let phone = await Account()
        try await phone.signIn()
        await phone.cognito.setOffline(true)
        await phone.auth.signOut()
        #expect(phone.auth.currentUser == nil)
        #expect(phone.keychain.names.isEmpty)
    }

    @Test func aSignOutCanBeEverywhere() async throws {
        let phone = await Account(signOut: .everywhere)
        try await phone.signIn()
        await phone.auth.signOut()
        #expect(await phone.cognito.calls("GlobalSignOut").count == 1)
        #expect(await phone.cognito.calls("RevokeToken").isEmpty)
    }

    // MARK: - Failures

    @Test func aChallengeIsNamed() async throws {
        let phone = await Account()
        await phone.cognito.add(
            Account.email, .init(sub: "s", password: Account.password, challenge: "NEW_PASSWORD_REQUIRED"))
        await #expect(throws: AuthError.newPasswordRequired) { try await phone.signIn() }
        await phone.cognito.add(
            Account.email, .init(sub: "s", password: Account.password, challenge: "SOFTWARE_TOKEN_MFA"))
        await #expect(throws: AuthError.unsupportedChallenge("SOFTWARE_TOKEN_MFA")) { try await phone.signIn() }
    }

    /// The answer to the first attempt was lost.
    @Test func aCodeThatWasTakenIsTakenAgain() async throws {
        let phone = await Account()
        try await phone.auth.signUp(email: "bob@example.com", password: "Long-enough-1")
        await phone.cognito.add("bob@example.com", .init(sub: "bob", password: "Long-enough-1", isConfirmed: true))
        try await phone.auth.verifyEmail(code: ScriptedCognito.code)
        try await phone.auth.signIn(email: "bob@example.com", password: "Long-enough-1")
    }

    @Test func aCodeCanBeSentAgain() async throws {
        let phone = await Account()
        await #expect(throws: AuthError.nothingToConfirm) { try await phone.auth.resendCode() }
        await phone.cognito.add("bob@example.com", .init(sub: "bob", password: "Long-enough-1", isConfirmed: false))
        await #expect(throws: AuthError.notVerified) {
            try await phone.auth.signIn(email: "bob@example.com", password: "Long-enough-1")
        }
        await #expect(throws: AuthError.expiredCode) { try await phone.auth.verifyEmail(code: ScriptedCognito.code) }
        try await phone.auth.resendCode()
        try await phone.auth.verifyEmail(code: ScriptedCognito.code)
    }

    @Test func nothingOfASessionIsPrinted() async throws {
        let phone = await Account()
        let log = DebugLogService()
        try await AppLogger.with([log]) {
            try await phone.signIn()
            _ = await phone.auth.accessToken(insteadOf: phone.auth.accessToken() ?? "")
            await phone.cognito.revokeAll()
            _ = await phone.auth.accessToken(insteadOf: phone.auth.accessToken() ?? "")
        }
        #expect(log.events.count >= 2)
        let session = StoredSession(
            clientID: "client", user: AppUser(id: UserID("u"), email: Account.email), accessToken: "eyJhbGciOi",
            refreshToken: "refresh-1", expiresAt: 0)
        for text in [log.text, "\(session)"] {
            for secret in ["eyJ", "refresh-", Account.password, Account.email] { #expect(!text.contains(secret)) }
        }
    }
}
