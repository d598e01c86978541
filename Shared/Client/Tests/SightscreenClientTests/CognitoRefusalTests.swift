@testable import SightscreenClient
import Testing

/// Each refusal of Cognito with the error that the user sees.
@Suite struct CognitoRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var action: CognitoAction
        var type: String
        var message = ""
        var status = 400
        var error: AuthError

        var testDescription: String { "\(action) \(type) \(message)" }
    }

    static let cases = [
        Case(
            action: .signIn, type: "NotAuthorizedException", message: "Incorrect username or password.",
            error: .wrongCredentials),
        Case(action: .signIn, type: "UserNotFoundException", error: .wrongCredentials),
        Case(
            action: .signIn, type: "NotAuthorizedException", message: "Password attempts exceeded",
            error: .tooManyAttempts),
        Case(action: .signIn, type: "NotAuthorizedException", message: "User is disabled.", error: .disabled),
        Case(action: .signIn, type: "UserNotConfirmedException", error: .notVerified),
        Case(action: .signIn, type: "PasswordResetRequiredException", error: .passwordResetRequired),
        Case(action: .signIn, type: "com.amazonaws.cognito#TooManyRequestsException", error: .tooManyAttempts),
        Case(action: .signIn, type: "InternalErrorException", status: 500, error: .unavailable),
        Case(action: .signIn, type: "", status: 502, error: .unavailable),
        Case(action: .signIn, type: "", status: 429, error: .unavailable),
        Case(action: .signIn, type: "", status: 404, error: .unreadable),
        Case(action: .signIn, type: "SomethingNew", status: 503, error: .unavailable),
        Case(
            action: .signIn, type: "ResourceNotFoundException:http://internal.amazon.com/",
            error: .refused("ResourceNotFoundException")),
        Case(action: .signUp, type: "UsernameExistsException", error: .emailTaken),
        Case(action: .signUp, type: "AliasExistsException", error: .emailTaken),
        Case(action: .signUp, type: "InvalidPasswordException", message: "Short", error: .weakPassword("Short")),
        Case(action: .signUp, type: "InvalidParameterException", message: "Email", error: .invalidInput("Email")),
        Case(action: .signUp, type: "CodeDeliveryFailureException", error: .codeNotSent),
        Case(
            action: .signUp, type: "NotAuthorizedException", message: "SignUp is not permitted for this user pool",
            error: .refused("NotAuthorizedException")),
        Case(action: .confirmSignUp, type: "CodeMismatchException", error: .wrongCode),
        Case(action: .confirmSignUp, type: "UserNotFoundException", error: .wrongCode),
        Case(action: .confirmSignUp, type: "ExpiredCodeException", error: .expiredCode),
        Case(action: .confirmSignUp, type: "TooManyFailedAttemptsException", error: .tooManyAttempts),
        Case(
            action: .confirmSignUp, type: "NotAuthorizedException",
            message: "User cannot be confirmed. Current status is CONFIRMED", error: .alreadyVerified),
        Case(
            action: .resendCode, type: "InvalidParameterException", message: "User is already confirmed.",
            error: .alreadyVerified),
        Case(action: .forgotPassword, type: "LimitExceededException", error: .tooManyAttempts),
        Case(
            action: .confirmForgotPassword, type: "PasswordHistoryPolicyViolationException", message: "Used before",
            error: .weakPassword("Used before")),
        Case(
            action: .refresh, type: "NotAuthorizedException", message: "Refresh Token has been revoked",
            error: .sessionEnded),
        Case(action: .refresh, type: "UserNotFoundException", error: .sessionEnded),
        Case(action: .refresh, type: "PasswordResetRequiredException", error: .sessionEnded),
        Case(action: .globalSignOut, type: "NotAuthorizedException", error: .sessionEnded),
    ]

    @Test(arguments: cases) func aRefusalIsWhatTheUserCanDoSomethingAbout(refusal: Case) {
        let seen = CognitoRefusal(type: refusal.type, message: refusal.message)
            .error(of: refusal.action, status: refusal.status)
        #expect(seen == refusal.error)
    }

    @Test(arguments: [
        ("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIiwiY29nbml0bzpncm91cHMiOlsiYWRtaW4iXX0.c2ln", ["admin"]),
        // The token contains both of base64url's own characters.
        ("e30.eyJzdWIiOiI-Pj4-w7w_In0.c2ln", []),
    ])
    func claimsAreRead(token: String, groups: [String]) { #expect(TokenClaims(token: token)?.groups == groups) }

    @Test(arguments: ["", "a.b", "a.b.c", "a..c", "a.e30.c", "a.eyJzdWIiOiIifQ.c", "a.eyJzdWIiOjF9.c", "a.%%%.c"])
    func whatIsNoTokenHasNoClaims(token: String) { #expect(TokenClaims(token: token) == nil) }
}
