import Activities

/// A user has as many of something as a user may have. Nothing was changed; asking again does not help until one goes.
package struct LimitReached: Error, Hashable, Sendable, CustomStringConvertible {
    /// What there is too much of.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// Matches that are to be played or are being played.
        case follows
        /// Matches that are over and whose follows wait for their end.
        case finishedFollows
        /// Phones.
        case devices
        /// Ends that a phone is owed for one match.
        case owedEnds
        /// Activities of one match that a phone has reported.
        case activities
    }

    package var kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// How many there may be.
    package var max: Int {
        switch kind {
        case .follows: FollowStore.followsMax
        case .finishedFollows: FollowStore.finishedFollowsMax
        case .devices: UserDevices.devicesMax
        case .owedEnds: ActivityTokenRule.owedEndsMax
        case .activities: ActivityTokenRule.reportedMax
        }
    }

    /// For the developer of a client.
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
