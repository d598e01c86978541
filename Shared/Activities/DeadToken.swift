package import SightscreenModels

/// A registration of an update token to retire: APNs called it dead in an answer about this registration
/// (`DeadTokenRule.isAbout`), or called it bad and the detector rejected it.
package struct DeadToken: Sendable {
    package var match: MatchID
    package var token: UpdateToken
    /// When the token was registered, in seconds since 1970, exactly as in its record.
    package var tokenAt: Double
    /// APNs called the token bad (BadDeviceToken), not unregistered (410): it counts against the user's account.
    package var isBad: Bool

    package init(match: MatchID, token: UpdateToken, tokenAt: Double, isBad: Bool = false) {
        self.match = match
        self.token = token
        self.tokenAt = tokenAt
        self.isBad = isBad
    }
}
