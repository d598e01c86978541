import Metrics

/// What an operator asks about leases, by kind: `shard`, `match`, `poll`, `orchestrator`.
struct LeaseMetrics: Sendable {
    private var kinds: Set<String> = []

    /// Kinds that this process may hold show before it does.
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

    /// Another process had it, or nobody.
    func taken(_ name: LeaseName) { counter(.taken, name.kind).increment() }

    /// It went to another process, or expired, without our doing.
    func lost(_ name: LeaseName) { counter(.lost, name.kind).increment() }

    /// Let go of, so that another may take it.
    func handedOver(_ names: [LeaseName]) { for name in names { counter(.handedOver, name.kind).increment() } }

    private enum Event: CaseIterable { case taken, lost, handedOver }

    private func counter(_ event: Event, _ kind: String) -> Counter {
        let dimensions = [("kind", kind)]
        return switch event {
        case .taken: Counter(label: "sightscreen_leases_taken_total", dimensions: dimensions)
        case .lost: Counter(label: "sightscreen_leases_lost_total", dimensions: dimensions)
        case .handedOver: Counter(label: "sightscreen_leases_handed_over_total", dimensions: dimensions)
        }
    }

    private func held(_ kind: String, _ count: Int) {
        Gauge(label: "sightscreen_leases_held", dimensions: [("kind", kind)]).record(count)
    }
}

extension LeaseName {
    /// What its name begins with.
    fileprivate var kind: String { String(rawValue.prefix { $0 != ":" }) }
}
