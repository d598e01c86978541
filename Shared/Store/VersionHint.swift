public import SightscreenModels

/// A hint by `NOTIFY` that a version was committed. The receiver reads the row; as a hint may be lost, it also reads
/// without one.
public struct VersionHint: Sendable, Hashable {
    /// The channel on which every version is notified as "matchId version".
    package static let channel = "match_updates"

    public var match: MatchID
    public var version: MatchVersion

    /// - Parameter payload: the text "matchId version"; any other text gives nil.
    package init?(_ payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 2, let match = Int64(parts[0]), let version = Int(parts[1]) else { return nil }
        self.match = MatchID(match)
        self.version = MatchVersion(version)
    }
}
