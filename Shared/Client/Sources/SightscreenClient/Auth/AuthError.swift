/// The reason why a call about an account failed. There is a case for each failure about which the user can do
/// something.
public enum AuthError: Error, Hashable, Sendable {
    /// The address or the password is wrong. Cognito does not say which.
    case wrongCredentials
    /// The address was never verified. A code is needed (`verifyEmail`, `resendCode`).
    case notVerified
    /// The address is verified already. The user can sign in.
    case alreadyVerified
    /// An account with this address exists. The user can sign in, or reset the password.
    case emailTaken
    /// The password does not meet the pool's rules. The value is Cognito's sentence about them.
    case weakPassword(String)
    /// The code is not the one that was sent.
    case wrongCode
    /// The code is too old, or was used already. The user can ask for another.
    case expiredCode
    /// There were too many calls or wrong attempts. The user can try again later.
    case tooManyAttempts
    /// An administrator requires a new password. The user has to reset it.
    case passwordResetRequired
    /// An administrator has created the account, and its first password must be changed where the administrator says.
    case newPasswordRequired
    /// An administrator has closed the account.
    case disabled
    /// The address, code or password is not valid as such. The value is Cognito's sentence.
    case invalidInput(String)
    /// The message with the code could not be sent.
    case codeNotSent
    /// There is nothing that a code could confirm. The user has to begin again.
    case nothingToConfirm
    /// Cognito requires a further step that this app does not know. The value is its name.
    case unsupportedChallenge(String)
    /// The session is over. The user has to sign in again.
    case sessionEnded
    /// Cognito did not answer.
    case transport(TransportError)
    /// Cognito is unavailable for a while.
    case unavailable
    /// The Keychain cannot be used at this moment.
    case keychain(KeychainError)
    /// Cognito refused the call because of a mistake of the app, not of the user. The value is Cognito's name for it,
    /// such as "ResourceNotFoundException".
    case refused(String)
    /// The answer is one that this version of the app does not understand.
    case unreadable

    /// Whether the same call may succeed later.
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
