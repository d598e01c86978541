/// The user pool of the app.
///
/// Its app client is public, without a secret. It allows `ALLOW_USER_PASSWORD_AUTH` and `ALLOW_REFRESH_TOKEN_AUTH`,
/// with token revocation on and refresh token rotation off. The pool uses the e-mail address as the user name.
public struct CognitoSettings: Hashable, Sendable {
    /// The tokens that a sign-out revokes at Cognito.
    public enum SignOut: Hashable, Sendable {
        /// This phone's tokens (`RevokeToken`).
        case thisPhone
        /// The user's tokens on every phone (`GlobalSignOut`). The call needs an access token that is still valid.
        case everywhere
    }

    public var clientID: String
    /// The address of Cognito: "https://cognito-idp.eu-west-1.amazonaws.com/".
    public var endpoint: String
    public var signOut: SignOut

    public init(clientID: String, endpoint: String, signOut: SignOut = .thisPhone) {
        self.clientID = clientID
        self.endpoint = endpoint
        self.signOut = signOut
    }

    /// - Parameter region: the AWS region, such as "eu-west-1".
    public init(clientID: String, region: String, signOut: SignOut = .thisPhone) {
        self.init(clientID: clientID, endpoint: "https://cognito-idp.\(region).amazonaws.com/", signOut: signOut)
    }

    /// The group of administrators, as the gateway names it.
    public static let adminGroup = "admin"
}
