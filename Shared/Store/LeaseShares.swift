/// The leases that one of several keepers acquires and releases, so that each has as many as the others, or one more.
///
/// Keepers find each other by a lease that each has for itself: a keeper that joins is seen before it holds anything,
/// and one that died is gone when its own lease expires.
struct LeaseShares: Sendable, Equatable {
    /// The most leases that are released at a time, so that the work on the others goes on.
    static let releaseMax = 4

    struct Row: Sendable, Equatable {
        var name: LeaseName
        /// The instance that holds it.
        var instance: String
        /// Seconds until it expires; 0 or less if it is free.
        var left: Double
    }
    /// The leases to hold: those it keeps and those it tries to acquire.
    var acquire: [LeaseName]
    var release: [LeaseName]

    /// - Parameters:
    ///   - names: all leases of the kind.
    ///   - rows: the rows of the table; a name without a row was never acquired.
    ///   - members: the instances of the living keepers, with or without this one.
    init(_ names: [LeaseName], rows: [Row], members: Set<String>, instance: String) {
        let holders = Dictionary(rows.filter { $0.left > 0 }.map { ($0.name, $0.instance) }) { first, _ in first }
        let counts = Dictionary(grouping: holders.values) { $0 }.mapValues(\.count)
        // A remainder stays with the keepers that have more leases: all see the same table, and so the same order.
        let members = members.union([instance]).sorted { ((counts[$1] ?? 0), $0) < ((counts[$0] ?? 0), $1) }
        let rank = members.firstIndex(of: instance) ?? 0
        let quota = names.count / members.count + (rank < names.count % members.count ? 1 : 0)
        let ours = names.filter { holders[$0] == instance }
        let free = names.filter { holders[$0] == nil }
        // Each keeper begins at another place, so that two that join at the same time seldom want the same leases.
        let first = free.isEmpty ? 0 : free.count * rank / members.count
        acquire = Array((free[first...] + free[..<first]).prefix(max(0, quota - ours.count)))
        // While a free lease has not been acquired, releasing more would only leave more unused.
        release = free.isEmpty ? Array(ours.suffix(min(max(0, ours.count - quota), Self.releaseMax))) : []
    }
}
