public import Observation
public import SightscreenModels

/// Accounts in memory, for previews, tests and simulated phones. It refuses the calls that Cognito refuses.
@MainActor
@Observable
public final class FakeAuthService: AuthService {
    /// The code that is valid for every confirmation.
    public static let code = "123456"

    private struct Account {
        var user: AppUser
        var password: String
        var isVerified: Bool
    }

    public private(set) var currentUser: AppUser?

    /// Makes a bearer token: a canned one, or one from a development issuer.
    private let token: @Sendable (AppUser) async -> String?
    private let broadcast: Broadcast<AppUser?>
    @ObservationIgnored private var accounts: [String: Account] = [:]
    @ObservationIgnored private var verification: String?
    @ObservationIgnored private var reset: String?
    @ObservationIgnored private var current: String?
    @ObservationIgnored private var trouble: AuthError?
    /// The user who was signed in when the app was last closed.
    @ObservationIgnored private var left: AppUser?
    @ObservationIgnored private var farewell: @MainActor @Sendable () async -> Void = {}

    /// - Parameters:
    ///   - user: the user who is signed in already.
    ///   - left: the user whose session `restore` finds.
    ///   - token: makes a user's bearer token.
    public init(
        user: AppUser? = nil, left: AppUser? = nil,
        token: @escaping @Sendable (AppUser) async -> String? = { "token of \($0.id)" }
    ) {
        currentUser = user
        self.left = left
        self.token = token
        broadcast = Broadcast(.some(user))
    }

    /// Adds a verified account.
    public func add(_ user: AppUser, password: String) {
        accounts[user.email] = Account(user: user, password: password, isVerified: true)
    }

    /// Sets the error that every call throws from now on; nil for none.
    public func refuse(_ error: AuthError?) { trouble = error }

    /// Ends the session without a sign-out.
    public func endSession() { publish(nil) }

    public func users() -> AsyncStream<AppUser?> { broadcast.values() }

    @discardableResult
    public func signUp(email: String, password: String) async throws(AuthError) -> Bool {
        try check()
        guard Self.isAddress(email) else { throw .invalidInput("Invalid email address format.") }
        guard accounts[email] == nil else { throw .emailTaken }
        guard password.count >= 8 else { throw .weakPassword("Password not long enough") }
        accounts[email] = Account(
            user: AppUser(id: UserID("fake-\(email)"), email: email), password: password, isVerified: false)
        verification = email
        return true
    }

    public func verifyEmail(code: String) async throws(AuthError) {
        try check()
        guard let email = verification else { throw .nothingToConfirm }
        guard code == Self.code else { throw .wrongCode }
        accounts[email]?.isVerified = true
        verification = nil
    }

    public func resendCode() async throws(AuthError) {
        try check()
        if verification == nil { throw .nothingToConfirm }
    }

    @discardableResult
    public func signIn(email: String, password: String) async throws(AuthError) -> AppUser {
        try check()
        guard let account = accounts[email], account.password == password else { throw .wrongCredentials }
        guard account.isVerified else {
            verification = email
            throw .notVerified
        }
        if let currentUser, currentUser.id != account.user.id { await farewell() }
        publish(account.user)
        return account.user
    }

    public func beforeReplacement(_ farewell: @escaping @MainActor @Sendable () async -> Void) {
        self.farewell = farewell
    }

    public func resetPassword(email: String) async throws(AuthError) {
        try check()
        reset = email
    }

    public func confirmResetPassword(code: String, newPassword: String) async throws(AuthError) {
        try check()
        guard let email = reset else { throw .nothingToConfirm }
        guard code == Self.code, accounts[email] != nil else { throw .wrongCode }
        accounts[email]?.password = newPassword
        reset = nil
    }

    @discardableResult
    public func restore() async throws(AuthError) -> AppUser? {
        try check()
        load()
        return currentUser
    }

    /// Finds the session that was left, at the first call that needs it, as one in the Keychain is.
    private func load() {
        if let left { publish(left) }
    }

    public func signOut() async { publish(nil) }

    public func deleteUser() async throws(AuthError) {
        try check()
        guard let user = currentUser else { throw .sessionEnded }
        accounts[user.email] = nil
        publish(nil)
    }

    // MARK: - SessionPort

    @MainActor
    public func currentUserID() async -> UserID? {
        load()
        return currentUser?.id
    }

    @MainActor
    public func accessToken() async -> String? {
        load()
        guard let user = currentUser else { return nil }
        if let current { return current }
        let new = await token(user)
        // Another user may have signed in meanwhile.
        if user == currentUser { current = new }
        return new
    }

    @MainActor
    public func accessToken(insteadOf rejected: String) async -> String? {
        if current == rejected { current = nil }
        let fresh = await accessToken()
        return fresh == rejected ? nil : fresh
    }

    // MARK: -

    private static func isAddress(_ email: String) -> Bool {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts.contains("") && !email.contains(" ")
    }

    private func check() throws(AuthError) { if let trouble { throw trouble } }

    private func publish(_ user: AppUser?) {
        left = nil
        guard user != currentUser else { return }
        current = nil
        currentUser = user
        broadcast.send(user)
    }
}
