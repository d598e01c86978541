import Tapes

/// A match and what the oracle says about it.
struct ConformanceSubject: Sendable {
    let file: MatchFile
    let oracle: OracleResults

    /// About how long a replay takes, in balls squared: each frame has every ball.
    var weight: Int { oracle.lines.count * oracle.lines.count }
}

/// What one replay showed.
struct ConformanceReport: Sendable {
    /// "1304076 storm seed 2".
    let title: String
    /// The one command that plays it again.
    let command: String
    let run: ReplayRun
    /// Empty when all is well.
    let failures: [String]
}
