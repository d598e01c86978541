package import SightscreenModels

/// The version, stamp and time of a commit.
package struct CommittedMatch: Sendable, Equatable {
    package var version: MatchVersion
    package var stamp: Stamp
    /// The database's clock at the commit, in milliseconds since 1970.
    package var committedAtMs: Int64
}
