/// Which failures halt a launch, and which are a start without a network.
enum BootRules {
    /// A config check that came to nothing: there was none before, either, for then the last known would have counted.
    static func afterConfig(_ error: APIError) -> BlockingScreen { .failure(.configCheck, failure(error)) }

    static func afterRestore(_ error: AuthError) -> BlockingScreen {
        switch error {
        case .keychain(let error): .failure(.authRestore, .keychain(error))
        case .transport, .unavailable, .tooManyAttempts: .failure(.authRestore, .noConnection)
        default: .signIn
        }
    }

    /// - Returns: nil: the follows that this phone remembers are used, and brought together later.
    static func afterFollows(_ error: APIError, isSignedIn: Bool) -> BlockingScreen? {
        if !isSignedIn { return .signIn }
        // A session that is good and has no good token now is a phone without a network, too.
        return error.passes ? nil : .failure(.followSync, failure(error))
    }

    static func screen(_ gate: AppGate) -> BlockingScreen? {
        switch gate {
        case .open: nil
        case .updateRequired(let minimum, let storeURL): .forceUpdate(minimum: minimum, storeURL: storeURL)
        case .maintenance(let message): .maintenance(message: message)
        }
    }

    /// Whether the app looks by itself whether it may go on.
    static func looksAgain(_ screen: BlockingScreen) -> Bool {
        switch screen {
        case .maintenance, .failure: true
        // Neither ends by waiting.
        case .forceUpdate, .signIn: false
        }
    }

    private static func failure(_ error: APIError) -> BootFailure {
        error.passes && error.status == nil ? .noConnection : .backend(status: error.status)
    }
}
