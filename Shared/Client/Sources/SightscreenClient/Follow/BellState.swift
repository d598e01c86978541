/// What a match's bell looks like.
public enum BellState: String, Hashable, Sendable, CaseIterable {
    /// Not followed.
    case empty
    /// Followed.
    case filled
    /// Followed, but the Lock Screen shows nothing: not allowed, or it failed.
    case filledWithWarning
}

/// A bell as it is to be drawn.
public struct Bell: Hashable, Sendable {
    public var state: BellState
    /// The backend has not confirmed the last tap: a loading indicator goes with it.
    public var isPending: Bool

    public init(_ state: BellState, isPending: Bool = false) {
        self.state = state
        self.isPending = isPending
    }

    public static let empty = Bell(.empty)
}

/// How a followed match's activity does on this phone.
public enum ActivityHealth: Hashable, Sendable {
    /// None is needed, or one may come.
    case idle
    case running
    case failed(ActivityFailure)
}

/// Why the Lock Screen does not show a followed match.
public enum ActivityFailure: String, Hashable, Sendable, CaseIterable {
    /// The system refused to start it.
    case notStarted
    /// Nothing new came for half an hour, and the app ended it.
    case stale
    /// The system ended it before the match was over.
    case endedBySystem
    /// The backend cannot use its token.
    case tokenRefused
    /// It is gone, perhaps by the user's own hand while the app did not run: the app offers "Show again".
    case takenAway
}
