public import SightscreenModels

/// The signed-in user and the session's tokens. The app's `AuthService` implements it.
public protocol SessionPort: Sendable {
    /// The signed-in user's id; nil while no user is signed in.
    func currentUserID() async -> UserID?

    /// A bearer token that should be valid; nil while no user is signed in or no token can be had.
    func accessToken() async -> String?

    /// Returns a token other than `rejected`, which the gateway answered with 401. Concurrent calls share one refresh.
    ///
    /// - Returns: the new token; nil when there is none, and the user has to sign in again.
    func accessToken(insteadOf rejected: String) async -> String?
}
