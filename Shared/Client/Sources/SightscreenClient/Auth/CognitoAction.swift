/// The calls of Cognito's API that the app makes, none of which needs AWS credentials.
enum CognitoAction: String, CaseIterable, Sendable {
    case signUp
    case confirmSignUp
    case resendCode
    case signIn
    case refresh
    case forgotPassword
    case confirmForgotPassword
    /// The refresh token and what came of it: this phone.
    case revoke
    /// All of the user's tokens: every phone.
    case globalSignOut

    /// The header `X-Amz-Target`.
    var target: String {
        let name =
            switch self {
            case .signUp: "SignUp"
            case .confirmSignUp: "ConfirmSignUp"
            case .resendCode: "ResendConfirmationCode"
            case .signIn, .refresh: "InitiateAuth"
            case .forgotPassword: "ForgotPassword"
            case .confirmForgotPassword: "ConfirmForgotPassword"
            case .revoke: "RevokeToken"
            case .globalSignOut: "GlobalSignOut"
            }
        return "AWSCognitoIdentityProviderService.\(name)"
    }
}
