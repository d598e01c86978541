import Activities

/// A user has reached a limit and nothing was changed. Repeating the request does not help until one of them is gone.
package struct LimitReached: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// Follows of matches that are not over.
        case follows
        /// Follows of matches that are over, which wait to expire.
        case finishedFollows
        /// Phones of one user.
        case devices
        /// Ends of one match that wait for a phone.
        case owedEnds
        /// Activities of one match that one phone has reported.
        case activities
    }

    package var kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    package var max: Int {
        switch kind {
        case .follows: FollowStore.followsMax
        case .finishedFollows: FollowStore.finishedFollowsMax
        case .devices: UserDevices.devicesMax
        case .owedEnds: ActivityTokenRule.owedEndsMax
        case .activities: ActivityTokenRule.reportedMax
        }
    }

    /// A sentence for the developer of a client.
    package var description: String {
        switch kind {
        case .follows: "a user follows at most \(max) matches that are not over"
        case .finishedFollows: "a user follows at most \(max) matches that are over"
        case .devices: "a user has at most \(max) devices that were seen in the last \(UserDevices.unseenDays) days"
        case .owedEnds: "at most \(max) ends of one match wait for a phone"
        case .activities: "at most \(max) activities of one match are taken from a phone"
        }
    }
}
