public import SightscreenModels

/// The name of a lease: work that only one process at a time may do.
public struct LeaseName: StringIdentifier {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The orchestrator's passes.
    public static let orchestrator = LeaseName("orchestrator")
    /// Fetching from the provider for one poll group ("all" if there is only one).
    public static func poll(_ group: String) -> LeaseName { LeaseName("poll:\(group)") }
    /// Evaluating a match's frames and committing its versions.
    public static func match(_ id: MatchID) -> LeaseName { LeaseName("match:\(id)") }
    /// Pushing to the devices of one shard (0…63), in all matches.
    public static func shard(_ number: Int) -> LeaseName { LeaseName("shard:\(number)") }
    /// The shard's number; nil for any other lease.
    public var shard: Int? {
        let parts = rawValue.split(separator: ":")
        return parts.count == 2 && parts[0] == "shard" ? Int(parts[1]) : nil
    }
    /// The lease by which a process that shares leases of this kind ("shard", "poll") shows that it is alive.
    static func keeper(of kind: String, _ instance: String) -> LeaseName { LeaseName(keepers(of: kind) + instance) }
    /// The prefix of the names of all such leases.
    static func keepers(of kind: String) -> String { "\(kind)-keeper:" }
}
