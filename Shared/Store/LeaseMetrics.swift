import Metrics

/// Metrics of leases, by kind: `shard`, `match`, `poll`, `orchestrator`.
struct LeaseMetrics: Sendable {
    private var kinds: Set<String> = []

    /// Exports the kinds that this process may hold before it holds any.
    mutating func wanted(_ names: some Sequence<LeaseName>) {
        for kind in Set(names.map(\.kind)).subtracting(kinds) {
            kinds.insert(kind)
            held(kind, 0)
            for event in Event.allCases { counter(event, kind).increment(by: 0) }
        }
    }

    func held(_ names: [LeaseName]) {
        let counts = Dictionary(grouping: names, by: \.kind).mapValues(\.count)
        for kind in kinds { held(kind, counts[kind] ?? 0) }
    }
    /// Counts a lease that was acquired from another process, or was free.
    func acquired(_ name: LeaseName) { counter(.acquired, name.kind).increment() }
    /// Counts a lease that was lost to another process or expired, without being released.
    func lost(_ name: LeaseName) { counter(.lost, name.kind).increment() }
    /// Counts leases that were released for other processes.
    func released(_ names: [LeaseName]) { for name in names { counter(.released, name.kind).increment() } }

    private enum Event: CaseIterable { case acquired, lost, released }

    private func counter(_ event: Event, _ kind: String) -> Counter {
        let dimensions = [("kind", kind)]
        return switch event {
        case .acquired: Counter(label: "sightscreen_leases_acquired_total", dimensions: dimensions)
        case .lost: Counter(label: "sightscreen_leases_lost_total", dimensions: dimensions)
        case .released: Counter(label: "sightscreen_leases_released_total", dimensions: dimensions)
        }
    }

    private func held(_ kind: String, _ count: Int) {
        Gauge(label: "sightscreen_leases_held", dimensions: [("kind", kind)]).record(count)
    }
}

extension LeaseName {
    /// The kind, with which the name begins.
    fileprivate var kind: String { String(rawValue.prefix { $0 != ":" }) }
}
