/// The look of a match's follow button.
public enum FollowButtonState: String, Hashable, Sendable, CaseIterable {
    /// The match is not followed.
    case empty
    /// The match is followed.
    case filled
    /// The match is followed, but the Lock Screen does not show it: the user does not allow it, or it failed.
    case filledWithWarning
}

/// The state of one follow button.
public struct FollowButton: Hashable, Sendable {
    public var state: FollowButtonState
    /// Whether the backend has not confirmed the last tap. The button shows a loading indicator then.
    public var isPending: Bool
    /// Whether the app offers "Show again": the match's activity went or could not start, and the user allows
    /// activities. The offer is `LiveActivityService.showAgain`, while the app is in the foreground.
    public var showsAgain: Bool

    public init(_ state: FollowButtonState, isPending: Bool = false, showsAgain: Bool = false) {
        self.state = state
        self.isPending = isPending
        self.showsAgain = showsAgain
    }

    public static let empty = FollowButton(.empty)
}

/// The health of a followed match's activity on this phone.
public enum ActivityHealth: Hashable, Sendable {
    /// No activity is needed, or one may still come.
    case idle
    case running
    case failed(ActivityFailure)
}

/// The reason why the Lock Screen does not show a followed match.
public enum ActivityFailure: String, Hashable, Sendable, CaseIterable {
    /// The system refused to start the activity.
    case notStarted
    /// No new content came for half an hour, and the app ended the activity.
    case stale
    /// The system ended the activity before the match was over.
    case endedBySystem
    /// The backend cannot use the activity's token.
    case tokenRefused
    /// The activity is gone, perhaps because the user removed it while the app did not run. The app offers "Show
    /// again".
    case takenAway
}
