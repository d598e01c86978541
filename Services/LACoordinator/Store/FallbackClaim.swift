package import Activities
package import SightscreenModels

/// A silent or visible push to an app that this process may send, once.
package struct FallbackClaim: Sendable {
    package enum Purpose: Sendable {
        /// The start of the match's activity was not answered.
        case start(MatchCard, StartFallback.Step)
        /// The token of the match's card has died.
        case card(MatchCard)
        /// Another user has registered the device token: the app on the phone echoes the nonce.
        case confirm(nonce: String)
    }

    package var userID: UserID
    package var deviceID: DeviceID
    package var shard: Int
    package var environment: APNsEnvironment
    package var token: DeviceToken
    /// APNs has taken a push to it before.
    package var isProven: Bool
    package var purpose: Purpose
    /// The database's clock, seconds since 1970.
    package var now: Int
    /// Names this very claim.
    var mark: String
}

extension FallbackClaim.Purpose {
    /// Nil: it is about no match.
    package var match: MatchCard? {
        switch self {
        case .start(let match, _), .card(let match): match
        case .confirm: nil
        }
    }

    var nonce: String? {
        if case .confirm(let nonce) = self { nonce } else { nil }
    }
}
