/// The calls of Cognito's API that the app makes. None of them needs AWS credentials.
enum CognitoAction: String, CaseIterable, Sendable {
    case signUp
    case confirmSignUp
    case resendCode
    case signIn
    case refresh
    case forgotPassword
    case confirmForgotPassword
    /// Revokes the refresh token and the tokens made with it, which are those of this phone.
    case revoke
    /// Revokes all of the user's tokens, on every phone.
    case globalSignOut
    case deleteUser

    /// The value of the header `X-Amz-Target`.
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
            case .deleteUser: "DeleteUser"
            }
        return "AWSCognitoIdentityProviderService.\(name)"
    }
}
