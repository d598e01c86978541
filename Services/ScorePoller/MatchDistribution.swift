import SightscreenModels

/// The distribution of matches over the event-buses of this host: each has as many as the others, or one more.
struct MatchDistribution: Equatable {
    /// The most matches that move to another bus at a time.
    static let movesMax = 4
    /// The bus to which a match is offered that no bus has.
    var homes: [MatchID: String] = [:]
    /// The bus that gets a match from a bus with too many.
    var moves: [MatchID: String] = [:]

    /// - Parameters:
    ///   - holders: the matches in play, with the bus that accepted their last frame.
    ///   - buses: the connected buses.
    ///   - refusing: buses that hand no match over.
    ///   - silent: buses that do not answer. They get no match as long as others answer.
    init(
        _ holders: [MatchID: String?], buses: [String], refusing: Set<String> = [], silent: Set<String> = []
    ) {
        guard !buses.isEmpty else { return }
        let answering = buses.filter { !silent.contains($0) }
        let takers = answering.isEmpty ? buses : answering
        let givers = answering.filter { !refusing.contains($0) }
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
            // A match without a bus needs no move.
            guard let place = loads[from]!.lastIndex(where: { homes[$0] == nil && moves[$0] == nil }) else { break }
            let match = loads[from]!.remove(at: place)
            loads[to]?.append(match)
            moves[match] = to
        }
    }
}
