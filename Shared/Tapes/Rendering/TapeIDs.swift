/// The ids of one tape. Cricsheet does not have SportMonks' own ids, of which only a few are known.
struct TapeIDs: Sendable {
    let fixture: Int64
    private let people: [String: String]

    init(fixture: Int64, people: [String: String]) {
        self.fixture = fixture
        self.people = people
    }

    /// The id of a player or an official: the id of Cricsheet's register with the top bit cleared, or a hash of the
    /// name for a person without one (substitutes).
    func person(_ name: String) -> Int64 {
        if let hex = people[name], let id = UInt32(hex, radix: 16) { return Int64(id & 0x7fff_ffff) }
        return StableHash.of(name)
    }

    /// The id of a ball. Ids grow with gaps, as the provider's do. A Test has fewer than 3,333 deliveries, so the ids
    /// of two matches that differ in the last six digits never meet.
    func ball(_ running: Int) -> Int64 { base + 3 * Int64(running) }

    func row(_ number: Int) -> Int64 { base + 5_000 + Int64(number) }

    private var base: Int64 { fixture % 1_000_000 * 10_000 }

    static func team(_ name: String) -> Int64 { knownTeams[name] ?? StableHash.of(name) }

    private static let knownTeams: [String: Int64] = [
        "Pakistan": 1, "India": 10, "Australia": 36, "Bangladesh": 37, "Sri Lanka": 39, "West Indies": 43,
    ]

    /// The id of a kind of score, by its name. Only a few numbers of the provider's catalogue are known.
    static func score(_ name: String) -> Int64 { knownScores[name] ?? 1_000 + StableHash.of(name) % 1_000 }

    private static let knownScores: [String: Int64] = [
        "1 Bye": 1, "1 Bye + Retired Hurt": 2, "1 Bye + Run Out": 3, "1 Leg Bye": 4, "1 Leg Bye + Run Out": 5,
        "1 No Ball": 7, "1 Wide": 17, "FOUR": 47, "5 Wides": 52, "Catch Out": 54, "1 Run": 69, "2 Runs": 70,
        "Clean Bowled": 79, "No Run": 82, "Not Out": 84, "1 No Ball + 1 Bye": 114,
    ]

    static let notOut = score("Not Out")
}
