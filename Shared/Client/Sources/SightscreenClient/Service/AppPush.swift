#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import SightscreenModels

/// A push to the app itself: a question, or the fallback of a backend that cannot start an activity.
public struct AppPush: Hashable, Sendable {
    /// The purpose of the push. In either case the app reports its activities.
    public enum Purpose: String, Hashable, Sendable {
        /// The user is asked to open the app, which then starts the activity that no push could start.
        case startLiveActivity
        /// The backend asks for the phone's state: an activity's token is dead, a start was not answered, or another
        /// user has registered this phone's device token.
        case reconcile
    }

    public enum Kind: Hashable, Sendable {
        /// The push wakes the app for a few seconds, when iOS allows it.
        case silent
        /// The user tapped the notification.
        case opened
    }

    public var kind: Kind
    public var purpose: Purpose
    /// The match that the push is about; nil for none.
    public var matchID: MatchID?
    /// The nonce that the app returns, which proves to the backend whose phone this is.
    public var nonce: String?

    public init(kind: Kind, purpose: Purpose = .startLiveActivity, matchID: MatchID?, nonce: String? = nil) {
        self.kind = kind
        self.purpose = purpose
        self.matchID = matchID
        self.nonce = nonce
    }

    /// Reads a push that the app delegate received, as JSON; nil for a push of another kind.
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

    /// Reads the dictionary that the app delegate received; nil for a push of another kind. Other members may be of any
    /// type: JSONSerialization would stop the app at an object that is no JSON.
    public init?(userInfo: [AnyHashable: Any], kind: Kind) {
        guard let purpose = (userInfo["purpose"] as? String).flatMap({ Purpose(rawValue: $0) }) else { return nil }
        var match: MatchID?
        if let named = userInfo["matchId"] {
            match = (named as? String).flatMap { MatchID($0) }
            guard match != nil else { return nil }
        }
        self.init(kind: kind, purpose: purpose, matchID: match, nonce: userInfo["confirm"] as? String)
    }
}
