#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import SightscreenModels

/// A push to the app itself: a question, or what the backend falls back on when it cannot start an activity.
public struct AppPush: Hashable, Sendable {
    /// What the backend wants done. Either way the app says what it shows.
    public enum Purpose: String, Hashable, Sendable {
        /// The user is to open the app, which starts what no push could.
        case startLiveActivity
        /// A card's token has died, a start was not answered, or another user has registered this phone's device token: only the
        /// phone knows.
        case reconcile
    }

    public enum Kind: Hashable, Sendable {
        /// Wakes the app for a few seconds, when iOS likes.
        case silent
        /// The user has tapped a notification.
        case opened
    }

    public var kind: Kind
    public var purpose: Purpose
    /// Nil: it is about none.
    public var matchID: MatchID?
    /// The app sends this nonce back, which shows the backend whose phone this is.
    public var nonce: String?

    public init(kind: Kind, purpose: Purpose = .startLiveActivity, matchID: MatchID?, nonce: String? = nil) {
        self.kind = kind
        self.purpose = purpose
        self.matchID = matchID
        self.nonce = nonce
    }

    /// Reads what the app delegate was handed, as JSON. Nil for anything that is not ours.
    public init?(payload: [UInt8], kind: Kind) {
        struct Body: Decodable {
            var matchId: MatchID?
            var purpose: String
            var confirm: String?
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(payload)),
            let purpose = Purpose(rawValue: body.purpose)
        else { return nil }
        self.init(kind: kind, purpose: purpose, matchID: body.matchId, nonce: body.confirm)
    }
}
