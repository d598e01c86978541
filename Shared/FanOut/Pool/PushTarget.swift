package import SightscreenModels

/// The token that a push goes to, as far as APNs' answer to it says something about more than the token.
package struct PushTarget: Sendable, Hashable {
    /// A hash of the token as it is registered.
    package var token: Int
    /// A hash of the user who registered it.
    package var account: UInt64
    /// This host has accepted a push to the token under our topic before.
    package var isProven: Bool

    package init(token: Int, account: UInt64, isProven: Bool) {
        self.token = token
        self.account = account
        self.isProven = isProven
    }

    package init(path: String, user: UserID, isProven: Bool) {
        self.init(token: path.hashValue, account: RosterKey.account(of: user), isProven: isProven)
    }
}
