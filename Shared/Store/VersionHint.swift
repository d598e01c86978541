public import SightscreenModels

/// What `NOTIFY` says of a version: that it was committed. Its row is to be read, as a hint may be lost.
public struct VersionHint: Sendable, Hashable {
    /// The channel of every version's notification, "matchId version".
    package static let channel = "match_updates"

    public var match: MatchID
    public var version: MatchVersion

    /// - Parameter payload: "matchId version"; nil for anything else.
    package init?(_ payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 2, let match = Int64(parts[0]), let version = Int(parts[1]) else { return nil }
        self.match = MatchID(match)
        self.version = MatchVersion(version)
    }
}
