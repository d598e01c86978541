public import SightscreenModels

/// Who is signed in. Implemented by the app's `AuthService`.
public protocol SessionPort: Sendable {
    /// Nil while nobody is signed in.
    func currentUserID() async -> UserID?

    /// A bearer token that should be good; nil while nobody is signed in or none can be had now.
    func accessToken() async -> String?

    /// A token other than `rejected`, which the gateway answered with 401. Concurrent calls share one refresh.
    /// - Returns: nil when there is none to be had: the user has to sign in again.
    func accessToken(insteadOf rejected: String) async -> String?
}
