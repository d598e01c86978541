package import Activities
package import SightscreenModels

/// A silent or visible push to an app that this process has claimed and may send once.
package struct FallbackClaim: Sendable {
    package enum Purpose: Sendable {
        /// The phone did not answer the start of the match's activity.
        case start(MatchCard, StartFallback.Step)
        /// The token of the match's card has died.
        case card(MatchCard)
        /// Another user has registered the device token; this is the claim's challenge. The push goes to the host that
        /// this user names. If the owner names another, the answer says nothing about the owner's token, and
        /// `strangersHost` is the account that asked.
        case confirm(challenge: String, strangersHost: UserID?)
    }

    package struct Nonce: Hashable, Sendable {
        package var text: String
        /// The end of its validity, seconds since 1970.
        package var until: Int
    }

    package var userID: UserID
    package var deviceID: DeviceID
    package var shard: Int
    package var environment: APNsEnvironment
    package var token: DeviceToken
    /// APNs has accepted a push to this token before, on this host.
    package var isProven: Bool
    package var purpose: Purpose
    /// The nonce that the app on the phone is to echo, while there is a claim to the phone.
    package var nonce: Nonce?
    /// The database's clock, seconds since 1970.
    package var now: Int
    /// Identifies this claim, so that only this claim can be released.
    var mark: String
}

extension FallbackClaim.Purpose {
    package var strangersHost: UserID? {
        if case .confirm(_, let account) = self { account } else { nil }
    }

    /// The match that the push is about; nil for a claim.
    package var match: MatchCard? {
        switch self {
        case .start(let match, _), .card(let match): match
        case .confirm: nil
        }
    }
}
