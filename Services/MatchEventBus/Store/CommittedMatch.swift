package import SightscreenModels

/// The numbers a commit was given.
package struct CommittedMatch: Sendable, Equatable {
    package var version: MatchVersion
    package var stamp: Stamp
    /// The database's clock at the commit, milliseconds since 1970.
    package var committedAtMs: Int64
}
