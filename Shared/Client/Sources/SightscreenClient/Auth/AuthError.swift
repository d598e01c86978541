/// Why something about an account did not work: a case for each thing that the user can do something about.
public enum AuthError: Error, Hashable, Sendable {
    /// Address or password are wrong. It is not told which.
    case wrongCredentials
    /// The address was never verified: a code is needed (`verifyEmail`, `resendCode`).
    case notVerified
    /// The address is verified: sign in.
    case alreadyVerified
    /// There is an account with this address already: sign in, or reset the password.
    case emailTaken
    /// The password does not meet the pool's rules; Cognito's sentence about them.
    case weakPassword(String)
    /// The code is not the one that was sent.
    case wrongCode
    /// The code is too old, or was used: ask for another.
    case expiredCode
    /// Too often, or too many wrong attempts: later.
    case tooManyAttempts
    /// An administrator wants a new password: reset it.
    case passwordResetRequired
    /// An administrator has made the account, and its first password must be changed where the administrator says.
    case newPasswordRequired
    /// An administrator has closed the account.
    case disabled
    /// Address, code or password cannot be any; Cognito's sentence.
    case invalidInput(String)
    /// The message with the code could not be sent.
    case codeNotSent
    /// There is nothing that a code could confirm: begin again.
    case nothingToConfirm
    /// Cognito wants a further step that this app does not know, by its name.
    case unsupportedChallenge(String)
    /// The session is over: sign in again.
    case sessionEnded
    /// There was no answer.
    case transport(TransportError)
    /// Cognito has a bad moment.
    case unavailable
    /// The Keychain cannot be used now.
    case keychain(KeychainError)
    /// Cognito refuses for a reason that is the app's and not the user's: its name for it, "ResourceNotFoundException".
    case refused(String)
    /// An answer that this version of the app does not understand.
    case unreadable

    /// The same may work later: nothing is wrong with it.
    public var passes: Bool {
        switch self {
        case .transport, .unavailable, .tooManyAttempts, .codeNotSent, .keychain: true
        case .wrongCredentials, .notVerified, .alreadyVerified, .emailTaken, .weakPassword, .wrongCode, .expiredCode,
            .passwordResetRequired, .newPasswordRequired, .disabled, .invalidInput, .nothingToConfirm,
            .unsupportedChallenge, .sessionEnded, .refused, .unreadable:
            false
        }
    }
}
