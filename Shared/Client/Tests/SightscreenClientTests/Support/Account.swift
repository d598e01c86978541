import SightscreenClient
import SightscreenClientTesting

/// A phone's `AuthService` over a Cognito in memory. The app can be killed, deleted and installed again; Keychain and
/// Cognito stay.
@MainActor
final class Account {
    static let email = "asha@example.com"
    static let password = "Corr3ct-horse!"
    static let sub = "4b1a7f5e-0c5b-4a59-9d6e-1f2a3b4c5d6e"

    let clock = SimulatedClock(now: Sample.now)
    let cognito = ScriptedCognito()
    let keychain = InMemoryKeychain()
    let store = InMemoryKeyValueStore()
    private(set) var auth: CognitoAuthService

    /// - Parameters:
    ///   - groups: the groups of the pool's only user.
    ///   - signOut: the tokens that a sign-out revokes.
    init(groups: [String] = [], signOut: CognitoSettings.SignOut = .thisPhone) async {
        auth = Self.build(cognito, keychain, store, clock, signOut)
        await cognito.add(Self.email, .init(sub: Self.sub, password: Self.password, groups: groups))
    }

    private static func build(
        _ cognito: ScriptedCognito, _ keychain: InMemoryKeychain, _ store: InMemoryKeyValueStore,
        _ clock: SimulatedClock, _ signOut: CognitoSettings.SignOut = .thisPhone, clientID: String? = nil
    ) -> CognitoAuthService {
        CognitoAuthService(
            settings: CognitoSettings(
                clientID: clientID ?? ScriptedCognito.clientID, endpoint: ScriptedCognito.endpoint, signOut: signOut),
            web: cognito, keychain: keychain, store: store, clock: clock)
    }

    @discardableResult
    func signIn() async throws -> AppUser { try await auth.signIn(email: Self.email, password: Self.password) }

    /// Ends the app's process, and with it everything in memory.
    func killApp(clientID: String? = nil) {
        auth = Self.build(cognito, keychain, store, clock, clientID: clientID)
    }

    /// Deletes the app and installs it again: the Keychain stays, UserDefaults do not.
    func installAnew() {
        store.removeAll()
        killApp()
    }
}
