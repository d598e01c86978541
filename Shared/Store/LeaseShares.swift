/// What one of several keepers of the same leases takes and lets go, so that each has as many as the others, or one more.
///
/// Keepers find each other by a lease that each has for itself, so that one that comes is seen before it holds anything, and
/// one that dies is gone when its leases are.
struct LeaseShares: Sendable, Equatable {
    /// So many change hands at a time: the work on the others goes on meanwhile.
    static let letGoMax = 4

    struct Row: Sendable, Equatable {
        var name: LeaseName
        /// The instance that has it.
        var instance: String
        /// Seconds until it expires; 0 or less when it is free.
        var left: Double
    }

    /// What this keeper is to have: those it goes on with and those it tries to take.
    var take: [LeaseName]
    var letGo: [LeaseName]

    /// - Parameters:
    ///   - names: all leases of the family.
    ///   - rows: as they are in the table; a name that is missing was never taken.
    ///   - members: instances of the living keepers, this one among them or not.
    init(_ names: [LeaseName], rows: [Row], members: Set<String>, instance: String) {
        let holders = Dictionary(rows.filter { $0.left > 0 }.map { ($0.name, $0.instance) }) { first, _ in first }
        let counts = Dictionary(grouping: holders.values) { $0 }.mapValues(\.count)
        // What cannot be divided stays where it is: all see the same table, and so the same order.
        let members = members.union([instance]).sorted { ((counts[$1] ?? 0), $0) < ((counts[$0] ?? 0), $1) }
        let rank = members.firstIndex(of: instance) ?? 0
        let quota = names.count / members.count + (rank < names.count % members.count ? 1 : 0)
        let ours = names.filter { holders[$0] == instance }
        let free = names.filter { holders[$0] == nil }
        // Each begins elsewhere, so that two that come at the same time seldom want the same.
        let first = free.isEmpty ? 0 : free.count * rank / members.count
        take = Array((free[first...] + free[..<first]).prefix(max(0, quota - ours.count)))
        // As long as somebody has yet to take what is free, letting go of more would only leave it lying.
        letGo = free.isEmpty ? Array(ours.suffix(min(max(0, ours.count - quota), Self.letGoMax))) : []
    }
}
