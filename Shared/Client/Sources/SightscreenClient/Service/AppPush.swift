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
        /// A card's token has died, or a start was not answered: only the phone knows why.
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
    public var matchID: MatchID

    public init(kind: Kind, purpose: Purpose = .startLiveActivity, matchID: MatchID) {
        self.kind = kind
        self.purpose = purpose
        self.matchID = matchID
    }

    /// Reads what the app delegate was handed, as JSON. Nil for anything that is not ours.
    public init?(payload: [UInt8], kind: Kind) {
        struct Body: Decodable {
            var matchId: MatchID
            var purpose: String
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(payload)),
            let purpose = Purpose(rawValue: body.purpose)
        else { return nil }
        self.init(kind: kind, purpose: purpose, matchID: body.matchId)
    }
}
