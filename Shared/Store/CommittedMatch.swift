public import SightscreenModels

/// The numbers a commit was given.
public struct CommittedMatch: Sendable, Equatable {
    public var version: MatchVersion
    public var stamp: Stamp
    /// The database's clock at the commit, milliseconds since 1970.
    public var committedAtMs: Int64
}
