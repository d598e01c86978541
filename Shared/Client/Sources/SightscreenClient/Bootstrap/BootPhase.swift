/// The phases of a launch, in order.
public enum BootPhase: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// `AppConfigService` checks whether this version may be used and whether there is maintenance.
    case configCheck = 1
    /// `AuthService` restores the session from the Keychain.
    case authRestore
    /// `FollowManager` reconciles its follows with `GET /user/follows`.
    case followSync
    /// Observers are attached to the Live Activities that exist.
    case activityRestore
    /// Data sources begin to poll, and the app may be used.
    case ready

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
/// The screen that the app shows as a whole.
public enum AppState: Hashable, Sendable {
    /// A launch screen. Cached content may be shown behind it.
    case launching(BootPhase)
    /// A blocking screen. Nothing else can be used.
    case halted(BlockingScreen)
    /// The app itself.
    case ready
}

/// The reason why a launch is halted.
public enum BlockingScreen: Hashable, Sendable {
    /// There is maintenance, with the backend's message. The app asks again by itself.
    case maintenance(message: String?)
    /// The version is too old. A button leads to the store.
    case forceUpdate(minimum: String, storeURL: String)
    /// No user is signed in. The launch continues by itself after a sign-in.
    case signIn
    /// A phase failed in a way that passes. A button calls `retry`.
    case failure(BootPhase, BootFailure)
}

/// The failure of a phase.
public enum BootFailure: Hashable, Sendable {
    /// The backend cannot be reached, and there is no earlier state to use.
    case noConnection
    /// The backend refuses the call, or its answer is not understood. The value is the HTTP status.
    case backend(status: Int?)
    /// The Keychain cannot be read: the phone was not unlocked since it was switched on, or there is a more serious
    /// error.
    case keychain(KeychainError)
}
