import ControlHTTP
public import SightscreenModels

/// What a person can do to a phone. The JSON is `{"action": "follow", "matchId": "…"}`.
public struct LabAction: Codable, Hashable, Sendable {
    public enum Name: String, Codable, Sendable, CaseIterable {
        /// The bell beside a match.
        case follow, unfollow
        /// Swipes the Live Activity off the Lock Screen.
        case dismiss
        case offline, online
        case openApp, killApp
        /// The switch for Live Activities in the system's settings.
        case grantPermission, denyPermission
        /// The switch below it.
        case grantFrequentPushes, denyFrequentPushes
        /// Deletes the app with all it knows, and installs it again; the same user signs in.
        case reinstall
        /// Signs out, and somebody else in.
        case switchUser

        public init(from decoder: any Decoder) throws { try self.init(oneOf: decoder) }
    }

    public var action: Name
    /// Of `follow`, `unfollow` and `dismiss`; the lab fills in the match that plays.
    public var matchId: MatchID?
    /// Of `switchUser`: who; the phone chooses when it is not said.
    public var user: String?

    public init(_ action: Name, matchId: MatchID? = nil, user: String? = nil) {
        self.action = action
        self.matchId = matchId
        self.user = user
    }

    /// Whether it is about one match.
    var isOfMatch: Bool { [.follow, .unfollow, .dismiss].contains(action) }
}

/// A phone cannot do what it was asked to, and says why in a sentence for people.
public struct LabRefusal: Error, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
}
