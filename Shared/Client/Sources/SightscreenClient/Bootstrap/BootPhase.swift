/// The phases of a launch, in their order.
public enum BootPhase: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// `AppConfigService`: may this version be used, is there maintenance.
    case configCheck = 1
    /// `AuthService` takes up the session that is in the Keychain.
    case authRestore
    /// What is followed is brought together with `GET /user/follows`.
    case followSync
    /// Observers are attached to the Live Activities that are there.
    case activityRestore
    /// Data sources begin to poll, and the app may be used.
    case ready

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What the app is to show as a whole.
public enum AppState: Hashable, Sendable {
    /// A launch screen; what stands in the caches may be shown behind it.
    case launching(BootPhase)
    /// Nothing else can be used.
    case halted(BlockingScreen)
    /// The app.
    case ready
}

/// Why a launch goes no further.
public enum BlockingScreen: Hashable, Sendable {
    /// What the backend wants said. The app asks again by itself.
    case maintenance(message: String?)
    /// A button that leads to the store.
    case forceUpdate(minimum: String, storeURL: String)
    /// The launch goes on by itself once somebody has signed in.
    case signIn
    /// Something that passes: a button for `retry`.
    case failure(BootPhase, BootFailure)
}

/// What went wrong in a phase.
public enum BootFailure: Hashable, Sendable {
    /// The backend cannot be reached, and there is nothing older to go on with.
    case noConnection
    /// The backend refuses, or says what this version does not understand; its status.
    case backend(status: Int?)
    /// The Keychain cannot be read: the phone was not unlocked since it was switched on, or worse.
    case keychain(KeychainError)
}
