public import Observation

/// Accounts, and the session of this phone.
///
/// It is the `SessionPort` for every call to the gateway. Views observe it; code outside SwiftUI reads `users()`.
@MainActor
public protocol AuthService: SessionPort, AnyObject, Observable {
    /// The signed-in user as far as this phone knows, without a call; nil before `restore`, too.
    var currentUser: AppUser? { get }

    /// Returns a stream of the signed-in user, now and after each change. A slow reader gets the newest value.
    func users() -> AsyncStream<AppUser?>

    /// Creates an account. It cannot be used before the address is verified.
    ///
    /// - Returns: whether a code was sent, which `verifyEmail` takes. A pool may need none.
    @discardableResult
    func signUp(email: String, password: String) async throws(AuthError) -> Bool

    /// Confirms the address with the code of the last sign-up, or of a sign-in that failed with `notVerified`. The user
    /// signs in next.
    func verifyEmail(code: String) async throws(AuthError)

    /// Sends another code to the same address.
    func resendCode() async throws(AuthError)

    /// Begins a session in place of the current one. If that belongs to another user, the work given to
    /// `beforeReplacement` is done first.
    @discardableResult
    func signIn(email: String, password: String) async throws(AuthError) -> AppUser

    /// Sends a code if the account exists. A pool may hide whether it does.
    func resetPassword(email: String) async throws(AuthError)

    /// Sets the new password with the code of the last `resetPassword`. The user signs in next.
    func confirmResetPassword(code: String, newPassword: String) async throws(AuthError)

    /// Restores the session from the Keychain, without the network.
    ///
    /// - Throws: `keychain` when the Keychain cannot say whether there is a session.
    @discardableResult
    func restore() async throws(AuthError) -> AppUser?

    /// Sets the work to do for a user when another user signs in without a sign-out in between.
    ///
    /// - Parameter farewell: the work. The sign-in waits for it, and the previous session stays valid until it is done.
    ///   It replaces the work that was set before.
    func beforeReplacement(_ farewell: @escaping @MainActor @Sendable () async -> Void)

    /// Ends the session on this phone at once, and at Cognito if it can be reached. Calls to the gateway for this user
    /// come before (`LiveActivityService.signOut`); `AppBootstrap.signOut` does both.
    func signOut() async

    /// Deletes the user from the pool, and ends the session on this phone. The backend's data comes before
    /// (`LiveActivityService.deleteAccount`), because it needs the session; `AppBootstrap.deleteAccount` does both.
    ///
    /// - Throws: the reason why the user is still there. The session goes on, unless it is the reason.
    func deleteUser() async throws(AuthError)
}
