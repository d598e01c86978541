import Sightscreen

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
    init(_ holders: [MatchID: String?], buses: [String], keeping: Set<String> = []) {
        guard !buses.isEmpty else { return }
        var loads: [String: [MatchID]] = Dictionary(uniqueKeysWithValues: buses.map { ($0, []) })
        for (match, holder) in holders { if let holder { loads[holder]?.append(match) } }
        func least() -> String { buses.min { (loads[$0]!.count, $0) < (loads[$1]!.count, $1) }! }
        func most() -> String? {
            buses.filter { !keeping.contains($0) }.max { (loads[$0]!.count, $0) < (loads[$1]!.count, $1) }
        }
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
