public import Observation
public import SightscreenModels

/// Accounts in an Amazon Cognito user pool.
///
/// The session is kept in the Keychain and is valid until Cognito refuses it: without a network the user stays signed
/// in, with a token that may have expired.
@MainActor
@Observable
public final class CognitoAuthService: AuthService {
    /// A token that expires within this time is refreshed before it is used, in seconds.
    public static let refreshAhead = 60
    /// The time after a refresh without an answer during which no call waits for another refresh, in seconds.
    public static let refreshPause = 30

    public private(set) var currentUser: AppUser?

    private enum Refreshed: Sendable {
        case token(String)
        /// The session is valid, but Cognito cannot be reached.
        case notNow
        /// The session is over, or another one has begun.
        case ended
    }

    private let api: CognitoAPI
    private let sessionStore: SessionStore
    private let clock: any ClientClock
    private let broadcast = Broadcast<AppUser?>(.some(nil))
    @ObservationIgnored private var session: StoredSession?
    @ObservationIgnored private var isLoaded = false
    /// Counts sessions. The result of a call that began in an earlier session is ignored.
    @ObservationIgnored private var generation = 0
    @ObservationIgnored private var refreshing: Task<Refreshed, Never>?
    @ObservationIgnored private var refreshNotBefore = Int.min
    /// The number of sign-ins that wait for the farewell of the previous user.
    @ObservationIgnored private var replacements = 0
    @ObservationIgnored private var farewell: @MainActor @Sendable () async -> Void = {}

    public init(
        settings: CognitoSettings, web: any WebTransport, keychain: any KeychainPort, store: any KeyValueStore,
        clock: any ClientClock
    ) {
        api = CognitoAPI(settings: settings, web: web)
        sessionStore = SessionStore(keychain: keychain, store: store, clientID: settings.clientID)
        self.clock = clock
    }

    public func users() -> AsyncStream<AppUser?> { broadcast.values() }

    // MARK: - Accounts

    @discardableResult
    public func signUp(email: String, password: String) async throws(AuthError) -> Bool {
        let email = email.trimmed
        let isReady = try await api.signUp(email: email, password: password)
        if !isReady { remember { $0.verification = email } }
        return !isReady
    }

    public func verifyEmail(code: String) async throws(AuthError) {
        guard let email = sessionStore.pending().verification else { throw .nothingToConfirm }
        do throws(AuthError) { try await api.confirmSignUp(email: email, code: code.trimmed) } catch {
            // The code was accepted before, and that answer was lost.
            guard error == .alreadyVerified else { throw error }
        }
        remember { $0.verification = nil }
    }

    public func resendCode() async throws(AuthError) {
        guard let email = sessionStore.pending().verification else { throw .nothingToConfirm }
        try await api.resendCode(email: email)
    }

    public func resetPassword(email: String) async throws(AuthError) {
        let email = email.trimmed
        do throws(AuthError) { try await api.forgotPassword(email: email) } catch {
            // The answer must not show whether the account exists.
            guard error == .refused("UserNotFoundException") else { throw error }
        }
        remember { $0.reset = email }
    }

    public func confirmResetPassword(code: String, newPassword: String) async throws(AuthError) {
        guard let email = sessionStore.pending().reset else { throw .nothingToConfirm }
        try await api.confirmForgotPassword(email: email, code: code.trimmed, password: newPassword)
        remember { $0.reset = nil }
    }

    private func remember(_ change: (inout PendingCodes) -> Void) {
        var pending = sessionStore.pending()
        change(&pending)
        do throws(KeychainError) { try sessionStore.keep(pending) } catch {
            AppLogger.error("The address that a code was sent to could not be kept", error: error, category: .auth)
        }
    }

    // MARK: - The session

    @discardableResult
    public func signIn(email: String, password: String) async throws(AuthError) -> AppUser {
        let email = email.trimmed
        let began = generation
        let answer: CognitoAPI.SignIn
        do throws(AuthError) { answer = try await api.signIn(email: email, password: password) } catch {
            if error == .notVerified { remember { $0.verification = email } }
            throw error
        }
        switch answer {
        case .challenge("NEW_PASSWORD_REQUIRED"): throw .newPasswordRequired
        case .challenge(let name): throw .unsupportedChallenge(name)
        case .tokens(let tokens):
            guard let refreshToken = tokens.refreshToken,
                let session = makeSession(tokens, refreshToken: refreshToken, email: email)
            else { throw .unreadable }
            try await take(session, inPlaceOfThatOf: began)
            return session.user
        }
    }

    public func beforeReplacement(_ farewell: @escaping @MainActor @Sendable () async -> Void) {
        self.farewell = farewell
    }

    private func take(_ new: StoredSession, inPlaceOfThatOf began: Int) async throws(AuthError) {
        // Meanwhile the user signed out, or another one signed in.
        guard generation == began else { throw .transport(.cancelled) }
        try? load()
        let old = session
        if let old, old.user.id != new.user.id {
            AppLogger.info("Another user signs in", category: .auth)
            replacements += 1
            await farewell()
            replacements -= 1
            guard generation == began else {
                // Subscribers that wait for the outcome read the user again.
                broadcast.send(currentUser)
                throw .transport(.cancelled)
            }
        }
        // The session may have another token by now.
        let ending = session
        begin()
        take(new)
        AppLogger.info("Signed in", category: .auth)
        // The old session is no longer stored. The same user's other phones keep their sessions.
        if let ending { await close(ending, old?.user.id == new.user.id ? .thisPhone : api.settings.signOut) }
    }

    /// Discards the calls under way for the previous session.
    private func begin() {
        generation += 1
        refreshing = nil
        refreshNotBefore = .min
    }

    private func makeSession(_ tokens: CognitoTokens, refreshToken: String, email: String) -> StoredSession? {
        guard let claims = TokenClaims(token: tokens.accessToken) else { return nil }
        // Only the id token contains the address.
        let named = tokens.idToken.flatMap { TokenClaims(token: $0) }
        let user = AppUser(
            id: claims.sub, email: named?.email ?? email,
            isAdmin: claims.groups.contains(CognitoSettings.adminGroup))
        return StoredSession(
            clientID: api.settings.clientID, user: user, accessToken: tokens.accessToken, refreshToken: refreshToken,
            expiresAt: clock.now + max(tokens.expiresIn, 0))
    }

    private func take(_ session: StoredSession) {
        self.session = session
        isLoaded = true
        do throws(KeychainError) { try sessionStore.keep(session) } catch {
            // The session is valid for as long as the app runs.
            AppLogger.error("The session could not be kept", error: error, category: .auth)
        }
        publish(session.user)
    }

    private func publish(_ user: AppUser?) {
        guard user != currentUser else { return }
        currentUser = user
        broadcast.send(user)
    }

    @discardableResult
    public func restore() async throws(AuthError) -> AppUser? {
        try load()
        return currentUser
    }
    /// Reads the session from the Keychain at the first call, also when a push woke the app.
    private func load() throws(AuthError) {
        guard !isLoaded else { return }
        do throws(KeychainError) { session = try sessionStore.session() } catch { throw .keychain(error) }
        isLoaded = true
        publish(session?.user)
    }

    public func signOut() async {
        try? load()
        let ending = session
        end()
        guard let ending else { return }
        AppLogger.info("Signed out", category: .auth)
        await close(ending, api.settings.signOut)
    }

    public func deleteUser() async throws(AuthError) {
        try load()
        // A token that has expired is renewed first.
        guard let token = await accessToken(), let deleted = session?.user.id else { throw .sessionEnded }
        do throws(AuthError) { try await api.deleteUser(token) } catch {
            // An earlier call has deleted the user, and its answer was lost.
            guard error == .refused("UserNotFoundException") else { throw error }
        }
        AppLogger.info("The user is deleted from the pool", category: .auth)
        if session?.user.id == deleted { end() }
    }

    private func close(_ ending: StoredSession, _ manner: CognitoSettings.SignOut) async {
        do throws(AuthError) {
            switch manner {
            case .thisPhone: try await api.revoke(ending.refreshToken)
            case .everywhere: try await api.globalSignOut(ending.accessToken)
            }
        } catch {
            // The token is no longer stored, and expires by itself.
            AppLogger.warning("Cognito was not told of the sign-out", error: error, category: .auth)
        }
    }

    private func end() {
        begin()
        session = nil
        isLoaded = true
        do throws(KeychainError) { try sessionStore.clear() } catch {
            AppLogger.error("The session could not be removed from the Keychain", error: error, category: .auth)
        }
        publish(nil)
    }

    // MARK: - SessionPort
    // The protocol does not fix an actor; these methods run on the main actor.

    @MainActor
    public func currentUserID() async -> UserID? {
        try? load()
        return session?.user.id
    }

    /// Returns an expired token when no other can be had now: the call then fails without a network, or the gateway
    /// refuses it and the client refreshes again.
    @MainActor
    public func accessToken() async -> String? {
        try? load()
        guard let session else { return nil }
        let now = clock.now
        guard session.expiresAt - now <= Self.refreshAhead, now >= refreshNotBefore else { return session.accessToken }
        _ = await refreshed()
        return self.session?.accessToken
    }

    @MainActor
    public func accessToken(insteadOf rejected: String) async -> String? {
        try? load()
        guard let session else { return nil }
        // Another call has refreshed the token meanwhile.
        guard session.accessToken == rejected else { return session.accessToken }
        guard case .token(let token) = await refreshed() else { return nil }
        return token
    }

    /// Concurrent calls share one refresh.
    private func refreshed() async -> Refreshed {
        if let refreshing { return await refreshing.value }
        let task = Task { await self.refresh() }
        refreshing = task
        return await task.value
    }

    private func refresh() async -> Refreshed {
        let began = generation
        guard let old = session else { return .ended }
        let outcome: Refreshed
        do throws(AuthError) {
            let tokens = try await api.refresh(old.refreshToken)
            guard generation == began else { return .ended }
            let refreshToken = tokens.refreshToken ?? old.refreshToken
            guard let new = makeSession(tokens, refreshToken: refreshToken, email: old.user.email),
                new.user.id == old.user.id
            else { throw .unreadable }
            take(new)
            outcome = .token(new.accessToken)
        } catch {
            guard generation == began else { return .ended }
            if error == .sessionEnded {
                // Another session is about to take its place.
                if replacements > 0 {
                    refreshing = nil
                    return .ended
                }
                AppLogger.warning("The session is over", category: .auth)
                end()
                return .ended
            }
            AppLogger.warning("The token could not be refreshed", error: error, category: .auth)
            refreshNotBefore = clock.now + Self.refreshPause
            outcome = .notNow
        }
        refreshing = nil
        return outcome
    }
}

extension String {
    /// The text without white space at its ends, because keyboards put a space behind a word that they complete.
    fileprivate var trimmed: String {
        let body = drop { $0.isWhitespace }
        guard let last = body.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(body[...last])
    }
}
