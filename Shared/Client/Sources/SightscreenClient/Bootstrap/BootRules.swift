/// Decides which failures halt a launch, and which ones mean a start without a network.
enum BootRules {
    /// Returns the screen for a failed configuration check. No earlier configuration exists then, because it would have
    /// been used.
    static func afterConfig(_ error: APIError) -> BlockingScreen { .failure(.configCheck, failure(error)) }

    static func afterRestore(_ error: AuthError) -> BlockingScreen {
        switch error {
        case .keychain(let error): .failure(.authRestore, .keychain(error))
        case .transport, .unavailable, .tooManyAttempts: .failure(.authRestore, .noConnection)
        default: .signIn
        }
    }

    /// - Returns: the screen; nil when the follows stored on this phone are used and reconciled later.
    static func afterFollows(_ error: APIError, isSignedIn: Bool) -> BlockingScreen? {
        if !isSignedIn { return .signIn }
        // This version of the app may be too old for an answer, and still has the follows stored on this phone.
        if case .unreadable = error { return nil }
        // A valid session without a valid token at this moment also means a phone without a network.
        return error.passes ? nil : .failure(.followSync, failure(error))
    }

    static func screen(_ gate: AppGate) -> BlockingScreen? {
        switch gate {
        case .open: nil
        case .updateRequired(let minimum, let storeURL): .forceUpdate(minimum: minimum, storeURL: storeURL)
        case .maintenance(let message): .maintenance(message: message)
        }
    }

    /// Whether the app tries again by itself.
    static func looksAgain(_ screen: BlockingScreen) -> Bool {
        switch screen {
        case .maintenance, .failure: true
        // Neither of these ends by waiting.
        case .forceUpdate, .signIn: false
        }
    }

    private static func failure(_ error: APIError) -> BootFailure {
        error.passes && error.status == nil ? .noConnection : .backend(status: error.status)
    }
}
