#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import Sightscreen

/// A push to the app itself: what the backend falls back on when it cannot start an activity.
public struct AppPush: Hashable, Sendable {
    /// What the backend wants done: `startLiveActivity`.
    public enum Purpose: String, Hashable, Sendable { case startLiveActivity }

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
