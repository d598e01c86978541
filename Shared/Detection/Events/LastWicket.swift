import Cricket

/// The newest wicket of an innings by its batting rows, which are the provider's later word on a batter than the ball
/// is.
struct LastWicket: Equatable {
    /// The row of the batter who is out.
    let line: BattingLine
    /// The ball of the wicket, as "12.3"; nil when neither ball nor row says.
    let ball: String?
    /// The side's score when the wicket fell; nil when nothing tells its runs.
    let score: InningsScore?

    /// Nil while no batter is out.
    init?(_ innings: Innings) {
        var places: [Int64: Int] = [:]
        for (place, ball) in innings.balls.enumerated() { if let out = ball.outID { places[out] = place } }
        let fallen = innings.batting.filter { $0.dismissal != nil }
        // A wicket without a ball of its own is placed after the ball whose label it has. Of two that nothing tells
        // apart, the newest is that of the batter who came in later.
        func order(_ row: (offset: Int, element: BattingLine)) -> (Int, Int, Int, Int) {
            let place = places[row.element.playerID]
            let label = Self.label(place.map { innings.balls[$0].label } ?? row.element.fellOn)
            return (label.over, label.number, place ?? .max, row.offset)
        }
        guard let newest = fallen.enumerated().max(by: { order($0) < order($1) })?.element else { return nil }
        line = newest
        let place = places[newest.playerID]
        ball = place.map { innings.balls[$0].label } ?? newest.fellOn
        let runs = newest.fellAt ?? place.map { innings.balls[...$0].reduce(0) { $0 + $1.totalRuns } }
        score = runs.map { InningsScore(runs: $0, wickets: fallen.count) }
    }

    private static func label(_ text: String?) -> (over: Int, number: Int) {
        let parts = (text ?? "").split(separator: ".").map { Int($0) ?? -1 }
        // In The Hundred a label is the number of the ball.
        return parts.count == 2 ? (parts[0], parts[1]) : parts.count == 1 ? (0, parts[0]) : (-1, -1)
    }

    /// The wicket as the card shows it: "Pollard 12 (9) · 87/6 (12.3)".
    func text(name: String) -> String {
        let batter = "\(name) \(line.runs) (\(line.ballsFaced))"
        let fall = [score?.spelled, ball.map { "(\($0))" }].compactMap { $0 }
        return fall.isEmpty ? batter : "\(batter) · \(fall.joined(separator: " "))"
    }
}
