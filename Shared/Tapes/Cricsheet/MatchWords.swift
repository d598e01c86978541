/// The provider's words about a match: rounds, notes, types.
struct MatchWords {
    private let match: CricsheetMatch
    private let info: CricsheetInfo
    /// Runs of each innings at its end, penalties included.
    private let totals: [Int]
    private let deliveries: [TapeDelivery]

    init(_ match: CricsheetMatch, deliveries: [TapeDelivery]) {
        self.match = match
        info = match.info
        self.deliveries = deliveries
        totals = match.innings.indices.map { index in
            let awarded = match.innings[index].penalty_runs
            return deliveries.reduce(0) { $0 + ($1.innings == index ? $1.totalRuns : 0) }
                + (awarded?.pre ?? 0) + (awarded?.post ?? 0)
        }
    }

    var type: String {
        // Cricsheet calls The Hundred a T20 with overs of five balls.
        if info.balls_per_over == 5 { return "100-ball" }
        let isInternational = info.team_type == "international"
        return switch info.match_type {
        case "T20", "IT20": isInternational ? "T20I" : "T20"
        case "ODI": "ODI"
        case "ODM": "List A"
        case "Test": "Test/5day"
        case "MDM": "4day"
        default: info.match_type
        }
    }

    /// Whether a match has two innings a side.
    var isTimeless: Bool { info.match_type == "Test" || info.match_type == "MDM" }

    /// Whether the match belongs to a series between two teams; the provider keeps all such series in one league per
    /// format.
    var isBilateral: Bool {
        guard info.team_type == "international", let name = info.event?.name else { return false }
        return name.contains(" tour of ") || name.contains(" in ") || name.hasSuffix("Series")
    }

    var leagueName: String {
        if let name = info.event?.name, !isBilateral { return name }
        return switch type {
        case "T20I": "Twenty20 International"
        case "ODI": "One Day International"
        case "Test/5day": "Test Series"
        default: info.event?.name ?? type
        }
    }

    var leagueID: Int64 {
        switch leagueName {
        case "Indian Premier League": 1
        case "Twenty20 International": 3
        case let name: StableHash.of(name)
        }
    }

    var leagueCode: String {
        switch leagueName {
        case "Indian Premier League": "IPL"
        case "Twenty20 International": "T20I"
        case "One Day International": "ODI"
        case "Test Series": "TEST"
        case "ICC Men's T20 World Cup", "ICC Women's T20 World Cup": "T20WC"
        case "World Cup", "ICC Cricket World Cup": "CWC"
        case let name: TeamCodes.code(of: name)
        }
    }

    var round: String {
        if let stage = info.event?.stage { return stage }
        guard let number = info.event?.match_number else { return "" }
        let kind = isBilateral ? (type == "Test/5day" ? "Test" : type) : "Match"
        return "\(Self.ordinal(number)) \(kind)"
    }

    static func ordinal(_ number: Int) -> String {
        let suffix =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(number)\(suffix)"
    }

    // MARK: Notes

    /// The target of an innings; nil when it does not bat last.
    func target(of index: Int) -> Int? {
        if let given = match.innings[index].target?.runs { return given }
        if match.innings[index].isSuperOver {
            let before = match.innings[..<index].count(where: \.isSuperOver)
            return before % 2 == 1 ? totals[index - 1] + 1 : nil
        }
        guard isTimeless else { return index == 1 ? totals[0] + 1 : nil }
        guard index == 3 else { return nil }
        return difference(before: 3, batting: match.innings[3].team) + 1
    }

    /// Whether rain changed the target of this innings.
    func isRevised(_ index: Int) -> Bool {
        guard index == 1, !isTimeless, let target = match.innings[index].target else { return false }
        return info.outcome.method != nil || target.runs.map { $0 != totals[0] + 1 } ?? false || isShortened(index)
    }

    /// Whether the innings has fewer overs than planned.
    func isShortened(_ index: Int) -> Bool {
        guard let overs = match.innings[index].target?.overs, let planned = info.overs else { return false }
        return overs < Double(planned)
    }

    func note(during index: Int) -> String? {
        if let target = target(of: index) { return "Target \(target) runs" }
        return match.innings[index].isSuperOver ? "Match tied" : nil
    }

    var result: String {
        let outcome = info.outcome
        if let winner = outcome.winner {
            return "\(winner) won by \(margin)\(outcome.method.map { " (\($0))" } ?? "")"
        }
        switch outcome.result {
        case "tie":
            if let winner = outcome.bowl_out { return "Match tied (\(winner) won the bowl-out)" }
            guard let winner = outcome.eliminator else { return "Match tied" }
            let isStillTied = totals.count > 3 && totals[totals.count - 1] == totals[totals.count - 2]
            return "Match tied (\(winner) won \(isStillTied ? "on boundary count" : "the Super Over"))"
        case "draw": return "Match drawn"
        default: return "No result"
        }
    }

    private var margin: String {
        let by = info.outcome.by
        if let runs = by?.runs {
            return (by?.innings == nil ? "" : "an innings and ") + "\(runs) run\(runs == 1 ? "" : "s")"
        }
        if by?.innings != nil { return "an innings" }
        guard let wickets = by?.wickets else { return "default" }
        let text = "\(wickets) wicket\(wickets == 1 ? "" : "s")"
        guard let left = ballsLeft else { return text }
        return "\(text) (With \(left) ball\(left > 1 ? "s" : "") remaining)"
    }

    /// Balls left in the chase of a limited-overs match.
    private var ballsLeft: Int? {
        guard !isTimeless, match.innings.count > 1,
            let overs = match.innings[1].target?.overs ?? info.overs.map(Double.init)
        else { return nil }
        let perOver = info.balls_per_over ?? 6
        let bowled = deliveries.last { $0.innings == 1 }?.oversAfter ?? (completed: 0, balls: 0)
        let all = Int(overs) * perOver + Int((overs * 10).rounded()) % 10
        return max(all - bowled.completed * perOver - bowled.balls, 0)
    }

    private func difference(before index: Int, batting team: String) -> Int {
        match.innings[..<index].enumerated().reduce(0) { $0 + ($1.element.team == team ? -1 : 1) * totals[$1.offset] }
    }
}
