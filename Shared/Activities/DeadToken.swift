package import SightscreenModels

/// A registration of an update token that APNs calls dead, and is believed (`DeadTokenRule.isAbout`).
package struct DeadToken: Sendable {
    package var match: MatchID
    package var token: UpdateToken
    /// When it was registered, seconds since 1970, as in its record.
    package var tokenAt: Double
    /// APNs called it bad (BadDeviceToken), and not unregistered (410): it counts against its account.
    package var isBad: Bool

    package init(match: MatchID, token: UpdateToken, tokenAt: Double, isBad: Bool = false) {
        self.match = match
        self.token = token
        self.tokenAt = tokenAt
        self.isBad = isBad
    }
}
