public import Activities
public import SightscreenModels

/// A hint by `NOTIFY` that a version was committed. The receiver reads the row; as a hint may be lost, it also reads
/// without one.
public struct VersionHint: Sendable, Hashable {
    /// The channel on which every version is notified as "matchId version stamp".
    package static let channel = "match_updates"

    public var match: MatchID
    public var version: StampedVersion

    /// - Parameter payload: the text "matchId version stamp"; any other text gives nil.
    package init?(_ payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 3, let match = Int64(parts[0]), let number = Int(parts[1]), let stamp = Int(parts[2])
        else {
            return nil
        }
        self.match = MatchID(match)
        version = StampedVersion(MatchVersion(number), Stamp(stamp))
    }
}
