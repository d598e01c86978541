public import SightscreenModels

/// What event-bus goes on from after a restart or a takeover.
public struct StoredMatch: Sendable, Equatable {
    public var version: MatchVersion
    public var stamp: Stamp
    /// The match machine's JSON at that version; nil when the match had left `active_matches`.
    public var machine: String?

    public init(version: MatchVersion, stamp: Stamp, machine: String?) {
        self.version = version
        self.stamp = stamp
        self.machine = machine
    }
}
