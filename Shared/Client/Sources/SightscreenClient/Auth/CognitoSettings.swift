/// Which user pool the app belongs to.
///
/// Its app client is a public one, without a secret, that allows `ALLOW_USER_PASSWORD_AUTH` and `ALLOW_REFRESH_TOKEN_AUTH`,
/// with token revocation on and refresh token rotation off; the pool takes the address of e-mail as the user's name.
public struct CognitoSettings: Hashable, Sendable {
    /// What a sign-out takes back at Cognito.
    public enum SignOut: Hashable, Sendable {
        /// This phone's tokens (`RevokeToken`).
        case thisPhone
        /// The user's tokens wherever they are (`GlobalSignOut`); it needs an access token that is still good.
        case everywhere
    }

    public var clientID: String
    /// "https://cognito-idp.eu-west-1.amazonaws.com/".
    public var endpoint: String
    public var signOut: SignOut

    public init(clientID: String, endpoint: String, signOut: SignOut = .thisPhone) {
        self.clientID = clientID
        self.endpoint = endpoint
        self.signOut = signOut
    }

    /// - Parameter region: "eu-west-1".
    public init(clientID: String, region: String, signOut: SignOut = .thisPhone) {
        self.init(clientID: clientID, endpoint: "https://cognito-idp.\(region).amazonaws.com/", signOut: signOut)
    }

    /// The group whose users are administrators; the gateway's name for it.
    public static let adminGroup = "admin"
}
