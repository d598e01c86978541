/// Cognito's refusal of a call, and its meaning for the user.
struct CognitoRefusal: Decodable, Hashable, Sendable {
    /// The type as sent: "NotAuthorizedException", sometimes with a namespace before a "#".
    var type: String?
    var message: String?

    private enum CodingKeys: String, CodingKey {
        case type = "__type"
        case message
        case capitalMessage = "Message"
    }

    init(type: String?, message: String? = nil) {
        self.type = type
        self.message = message
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decodeIfPresent(String.self, forKey: .type)
        message =
            try members.decodeIfPresent(String.self, forKey: .message)
            ?? members.decodeIfPresent(String.self, forKey: .capitalMessage)
    }

    /// The type without its namespace: "NotAuthorizedException".
    var name: String {
        let last = (type ?? "").split(separator: "#").last ?? ""
        return String(last.prefix { $0 != ":" })
    }

    /// - Parameter action: the call, because the same refusal means different things for different calls.
    func error(of action: CognitoAction, status: Int) -> AuthError {
        let sentence = message ?? ""
        switch name {
        case "NotAuthorizedException": return notAuthorized(action, sentence)
        // A pool may reveal that the user is unknown. The app does not, because otherwise anyone could find out who has
        // an account.
        case "UserNotFoundException":
            switch action {
            case .signIn: return .wrongCredentials
            case .refresh: return .sessionEnded
            case .confirmSignUp, .confirmForgotPassword, .resendCode: return .wrongCode
            default: return .refused(name)
            }
        case "UserNotConfirmedException": return .notVerified
        case "UsernameExistsException", "AliasExistsException": return .emailTaken
        case "InvalidPasswordException", "PasswordHistoryPolicyViolationException": return .weakPassword(sentence)
        case "CodeMismatchException": return .wrongCode
        case "ExpiredCodeException": return .expiredCode
        case "CodeDeliveryFailureException": return .codeNotSent
        case "LimitExceededException", "TooManyFailedAttemptsException", "TooManyRequestsException",
            "ThrottlingException":
            return .tooManyAttempts
        case "PasswordResetRequiredException": return action == .refresh ? .sessionEnded : .passwordResetRequired
        case "InvalidParameterException":
            // "User is already confirmed."
            return action == .resendCode && sentence.contains("already") ? .alreadyVerified : .invalidInput(sentence)
        case "InternalErrorException", "InternalFailure", "ServiceUnavailable": return .unavailable
        case "": return status >= 500 || status == 429 ? .unavailable : .unreadable
        default: return status >= 500 ? .unavailable : .refused(name)
        }
    }

    private func notAuthorized(_ action: CognitoAction, _ sentence: String) -> AuthError {
        switch action {
        case .refresh, .revoke, .globalSignOut, .deleteUser: return .sessionEnded
        // "User cannot be confirmed. Current status is CONFIRMED" says that the code was accepted before.
        case .confirmSignUp: return .alreadyVerified
        default: break
        }
        // Cognito tells these apart only by its sentences.
        let lower = sentence.lowercased()
        if lower.hasPrefix("password attempts exceeded") { return .tooManyAttempts }
        if lower.hasPrefix("user is disabled") { return .disabled }
        return action == .signIn ? .wrongCredentials : .refused(name)
    }
}
