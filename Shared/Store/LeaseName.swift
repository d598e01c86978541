public import SightscreenModels

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
    /// The shard's number; nil for a lease of something else.
    public var shard: Int? {
        let parts = rawValue.split(separator: ":")
        return parts.count == 2 && parts[0] == "shard" ? Int(parts[1]) : nil
    }

    /// Of one that shares leases of this kind ("shard", "poll") with others: says that it lives.
    static func keeper(of kind: String, _ instance: String) -> LeaseName { LeaseName(keepers(of: kind) + instance) }
    /// What the names of all of them begin with.
    static func keepers(of kind: String) -> String { "\(kind)-keeper:" }
}
