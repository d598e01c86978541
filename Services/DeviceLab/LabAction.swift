import ControlHTTP
public import SightscreenModels

/// An action that a person does on a phone. The JSON is `{"action": "follow", "matchId": "…"}`.
public struct LabAction: Codable, Hashable, Sendable {
    public enum Name: String, Codable, Sendable, CaseIterable {
        /// The follow button beside a match.
        case follow, unfollow
        /// Swipes the Live Activity off the Lock Screen.
        case dismiss
        case offline, online
        case openApp, leaveApp, killApp
        /// Restarts the phone, which takes every activity.
        case restart
        /// The switch for Live Activities in the system's settings.
        case grantPermission, denyPermission
        /// The switch for frequent updates, below the one for Live Activities.
        case grantFrequentPushes, denyFrequentPushes
        /// Deletes the app with all its data, and installs it again; the same user signs in.
        case reinstall
        /// Signs out and signs another user in.
        case switchUser
        /// What iOS does now and then: its list lacks the match's activity for some seconds; its streams of tokens say
        /// nothing until the app's next launch; the next publish on a channel is lost.
        case lagList, silenceTokens, losePublish

        public init(from decoder: any Decoder) throws { try self.init(oneOf: decoder) }
    }

    public var action: Name
    /// The match of `follow`, `unfollow`, `dismiss` and `lagList`; without it, the lab takes the match that plays.
    public var matchId: MatchID?
    /// The user of `switchUser`; without it, the phone chooses one.
    public var user: String?
    /// The alerts that the user wants with `follow`, also of a match that is followed; nil leaves them as they are.
    public var alerts: AlertLevel?

    package init(_ action: Name, matchId: MatchID? = nil, user: String? = nil, alerts: AlertLevel? = nil) {
        self.action = action
        self.matchId = matchId
        self.user = user
        self.alerts = alerts
    }

    /// Whether the action is about one match.
    var isOfMatch: Bool { [.follow, .unfollow, .dismiss, .lagList].contains(action) }
}

/// A phone cannot perform an action; the reason is a sentence for people.
public struct LabRefusal: Error, CustomStringConvertible {
    public var description: String
    package init(_ description: String) { self.description = description }
}
