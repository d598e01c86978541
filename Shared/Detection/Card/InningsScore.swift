import Cricket

/// The score of an innings as it is shown: "171/6", and "171" for a side that is all out.
struct InningsScore: Equatable {
    let runs: Int
    let wickets: Int
    /// Whether all ten are out, or nobody was left to bat with the last. A super over with its two wickets down does
    /// not count: most of the side has not batted.
    let isAllOut: Bool

    init(runs: Int, wickets: Int, ranOutOfBatters: Bool = false) {
        self.runs = runs
        self.wickets = wickets
        isAllOut = wickets >= 10 || ranOutOfBatters
    }

    init(_ innings: Innings) {
        self.init(runs: innings.runs, wickets: innings.wickets, ranOutOfBatters: innings.ranOutOfBatters)
    }

    /// The score as the card shows it: "171/6", "171".
    var text: String { isAllOut ? String(runs) : "\(runs)/\(wickets)" }
    /// The score as a sentence has it: "171/6", "171 all out".
    var spelled: String { isAllOut ? "\(runs) all out" : text }
}
