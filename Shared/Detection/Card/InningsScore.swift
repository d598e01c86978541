import Cricket

/// The score of an innings as it is shown: "171/6", and "171" for a side that is all out.
struct InningsScore: Equatable {
    let runs: Int
    let wickets: Int
    /// Whether all ten are out. A super over with its two wickets down does not count: most of the side has not batted.
    let isAllOut: Bool

    init(runs: Int, wickets: Int) {
        self.runs = runs
        self.wickets = wickets
        isAllOut = wickets >= 10
    }

    init(_ innings: Innings) { self.init(runs: innings.runs, wickets: innings.wickets) }

    /// The score as the card shows it: "171/6", "171".
    var text: String { isAllOut ? String(runs) : "\(runs)/\(wickets)" }
    /// The score as a sentence has it: "171/6", "171 all out".
    var spelled: String { isAllOut ? "\(runs) all out" : text }
}
