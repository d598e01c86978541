public import Sightscreen

/// What only one process at a time may do.
public struct LeaseName: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Reconciling what should exist with what does.
    public static let orchestrator = LeaseName("orchestrator")
    /// Asking the provider for one poll group ("all" when there is only one).
    public static func poll(_ group: String) -> LeaseName { LeaseName("poll:\(group)") }
    /// Judging a match's frames and committing its versions.
    public static func match(_ id: MatchID) -> LeaseName { LeaseName("match:\(id)") }
    /// Pushing to the devices of one shard (0…63), over all matches.
    public static func shard(_ number: Int) -> LeaseName { LeaseName("shard:\(number)") }
}
