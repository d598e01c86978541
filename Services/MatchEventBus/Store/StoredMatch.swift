package import SightscreenModels

/// The state from which event-bus continues after a restart or a takeover.
package struct StoredMatch: Sendable, Equatable {
    package var version: MatchVersion
    package var stamp: Stamp
    /// The match machine's JSON at that version; nil when the match had left `active_matches`.
    package var machine: String?

    package init(version: MatchVersion, stamp: Stamp, machine: String?) {
        self.version = version
        self.stamp = stamp
        self.machine = machine
    }
}
