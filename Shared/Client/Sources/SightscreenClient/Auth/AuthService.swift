public import Observation

/// Accounts and the session of this phone.
///
/// It is the `SessionPort` of everything that calls the gateway. Views observe it; what is not SwiftUI listens to
/// `users()`.
@MainActor
public protocol AuthService: SessionPort, AnyObject, Observable {
    /// Who is signed in, without asking anybody; nil before `restore`, too.
    var currentUser: AppUser? { get }

    /// Who is signed in, now and after each change. A slow reader gets the newest.
    func users() -> AsyncStream<AppUser?>

    /// Makes an account. It cannot be used before the address is verified.
    ///
    /// - Returns: whether a code is on its way, which `verifyEmail` takes; the pool may need none.
    @discardableResult
    func signUp(email: String, password: String) async throws(AuthError) -> Bool

    /// Takes the code of the last sign-up, or of a sign-in that failed with `notVerified`. The user signs in next.
    func verifyEmail(code: String) async throws(AuthError)

    /// Sends another code for the same address.
    func resendCode() async throws(AuthError)

    /// Begins a session, in place of another. If that is another user's, what `beforeReplacement` was given is done first.
    @discardableResult
    func signIn(email: String, password: String) async throws(AuthError) -> AppUser

    /// Sends a code, if there is such an account. A pool may hide whether there is.
    func resetPassword(email: String) async throws(AuthError)

    /// Takes the code of the last `resetPassword`. The user signs in next.
    func confirmResetPassword(code: String, newPassword: String) async throws(AuthError)

    /// Takes up the session that was left in the Keychain, without the network.
    ///
    /// - Throws: `keychain` when it cannot be told whether there is one.
    @discardableResult
    func restore() async throws(AuthError) -> AppUser?

    /// - Parameter farewell: what is to be done in a user's name when another one signs in without his having signed out:
    ///   it is waited for, and his session is good until it is done. It takes the place of the one before.
    func beforeReplacement(_ farewell: @escaping @MainActor @Sendable () async -> Void)

    /// Ends the session here at once, and at Cognito if it can be reached. What is said to the gateway in this user's name
    /// comes before (`LiveActivityService.signOut`); `AppBootstrap.signOut` does both.
    func signOut() async
}
