import SightscreenModels

/// Which event-bus takes which match: each on this host has as many as the others, or one more.
struct MatchSpread: Equatable {
    /// So many matches go to another bus at a time.
    static let movesMax = 4

    /// For matches that no bus has: the one to offer them to.
    var homes: [MatchID: String] = [:]
    /// For matches that a bus has that has too many: where they go.
    var moves: [MatchID: String] = [:]

    /// - Parameters:
    ///   - holders: the matches that are on, with the bus that took their last frame.
    ///   - buses: those that are connected.
    ///   - keeping: those of them that hand nothing over.
    ///   - silent: those of them that do not answer. They get nothing as long as others do.
    init(
        _ holders: [MatchID: String?], buses: [String], keeping: Set<String> = [], silent: Set<String> = []
    ) {
        guard !buses.isEmpty else { return }
        let answering = buses.filter { !silent.contains($0) }
        let takers = answering.isEmpty ? buses : answering
        let givers = answering.filter { !keeping.contains($0) }
        var loads: [String: [MatchID]] = Dictionary(uniqueKeysWithValues: buses.map { ($0, []) })
        for (match, holder) in holders { if let holder { loads[holder]?.append(match) } }
        func least() -> String { takers.min { (loads[$0]!.count, $0) < (loads[$1]!.count, $1) }! }
        func most() -> String? { givers.max { (loads[$0]!.count, $0) < (loads[$1]!.count, $1) } }
        let homeless = holders.filter { $0.value.map { loads[$0] == nil } ?? true }
        for match in homeless.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let bus = least()
            homes[match] = bus
            loads[bus]?.append(match)
        }
        for bus in buses { loads[bus]?.sort { $0.rawValue < $1.rawValue } }
        while moves.count < Self.movesMax, let from = most() {
            let to = least()
            guard loads[from]!.count - loads[to]!.count > 1 else { break }
            // One that has no bus yet needs no move.
            guard let place = loads[from]!.lastIndex(where: { homes[$0] == nil && moves[$0] == nil }) else { break }
            let match = loads[from]!.remove(at: place)
            loads[to]?.append(match)
            moves[match] = to
        }
    }
}
