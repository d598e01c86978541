import Cricket
import SightscreenModels

/// The result of a match that is over by the runs alone.
enum RunsResult: Equatable {
    /// The margin of a tie that a super over decided.
    static let superOver = "the Super Over"
    /// The margin of a side that is all out and passes the target by penalty runs: no wicket is left to win by.
    static let penaltyRuns = "penalty runs"

    /// The winner, and by what: "10 runs", "an innings and 225 runs", "5 wickets", "the Super Over".
    case won(Int64, by: String)
    case tie
    /// The runs show no end: a draw, no result, or a match that is not over.
    case undecided

    var isDecided: Bool { self != .undecided }

    /// The result of the innings up to number `last`.
    init(_ snapshot: MatchSnapshot, through last: Int) {
        var part = snapshot
        part.innings.removeAll { $0.number > last }
        self.init(part)
    }

    init(_ snapshot: MatchSnapshot) {
        self = snapshot.format == .firstClass ? Self.firstClass(snapshot) : Self.limited(snapshot)
    }

    /// The sentence to announce when nothing better is known. Where the runs decide nothing, `winner` is the team that
    /// the provider names.
    func sentence(in snapshot: MatchSnapshot, winner: Int64?) -> String {
        switch self {
        case .won(let team, Self.superOver): "Match tied (\(Self.name(team, in: snapshot)) won the Super Over)"
        case .won(let team, let margin): "\(Self.name(team, in: snapshot)) won by \(margin)"
        case .tie: "Match tied"
        case .undecided where winner.flatMap(snapshot.team) != nil:
            "\(Self.name(winner ?? 0, in: snapshot)) won"
        case .undecided: snapshot.format == .firstClass ? "Match drawn" : "No result"
        }
    }

    private static func name(_ team: Int64, in snapshot: MatchSnapshot) -> String {
        DisplayText.name(snapshot.team(team)?.name ?? "")
    }

    private static func limited(_ snapshot: MatchSnapshot) -> RunsResult {
        let innings = Dictionary(snapshot.innings.map { ($0.number, $0) }, uniquingKeysWith: { _, later in later })
        guard let first = innings[1], let second = innings[2] else { return .undecided }
        let target = snapshot.revisedTarget ?? first.runs + 1
        let main = chase(first, second, target: target, wickets: 10, balls: MatchSituation.chaseBalls(in: snapshot))
        guard main == .tie else { return main }
        // Super overs go on until one has a winner.
        var number = 3
        while let one = innings[number], let other = innings[number + 1] {
            let result = chase(one, other, target: one.runs + 1, wickets: 2, balls: snapshot.ballsPerOver)
            if case .won(let team, _) = result { return .won(team, by: superOver) }
            number += 2
        }
        return .tie
    }

    private static func chase(
        _ first: Innings, _ second: Innings, target: Int, wickets: Int, balls: Int?
    ) -> RunsResult {
        if second.runs >= target {
            return .won(second.battingTeamID, by: inHand(wickets - second.wickets))
        }
        let isPlayedOut =
            second.wickets >= wickets || second.ranOutOfBatters || balls.map { second.overs.legalBalls >= $0 } ?? false
        guard isPlayedOut else { return .undecided }
        if second.runs == target - 1 { return .tie }
        return .won(first.battingTeamID, by: EventText.count(target - 1 - second.runs, "run"))
    }

    /// The margin of a side that has reached its target with so many wickets left.
    private static func inHand(_ wickets: Int) -> String {
        wickets > 0 ? EventText.count(wickets, "wicket") : penaltyRuns
    }

    private static func firstClass(_ snapshot: MatchSnapshot) -> RunsResult {
        guard let last = snapshot.innings.last, last.number >= 3 else { return .undecided }
        let batting = snapshot.innings.filter { $0.battingTeamID == last.battingTeamID }
        let fielding = snapshot.innings.filter { $0.battingTeamID != last.battingTeamID }
        guard let other = fielding.first?.battingTeamID else { return .undecided }
        let lead = batting.reduce(0) { $0 + $1.runs } - fielding.reduce(0) { $0 + $1.runs }
        if lead > 0 {
            // A forfeited innings may have no row of its own.
            return fielding.count == 2 || last.number == 4
                ? .won(last.battingTeamID, by: inHand(10 - last.wickets)) : .undecided
        }
        guard last.wickets >= 10 || last.ranOutOfBatters else { return .undecided }
        if lead == 0 { return last.number == 4 ? .tie : .undecided }
        let runs = EventText.count(-lead, "run")
        return .won(other, by: fielding.count == 1 && batting.count == 2 ? "an innings and \(runs)" : runs)
    }
}
