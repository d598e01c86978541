import Cricket
import SightscreenModels

/// The last over of a chase with a limit of overs, super overs included: its beginning, and the runs needed then.
struct LastOver {
    /// Needs that make a close finish: more than 20 is hardly made in an over.
    static let closeRuns = 1...20

    /// The number of the over, from 0.
    let over: Int
    let chasing: Team
    private let target: Int
    private let wicketsAllowed: Int
    /// Penalty runs, which no ball shows.
    private let penalties: Int

    /// Nil for an innings that is no chase or has no limit of overs.
    init?(_ innings: Innings, in snapshot: MatchSnapshot) {
        guard snapshot.format != .firstClass, innings.number.isMultiple(of: 2),
            let balls = MatchSituation.balls(of: innings.number, in: snapshot), balls > 0,
            let target = MatchSituation.limitedTarget(of: innings.number, in: snapshot),
            let chasing = snapshot.team(innings.battingTeamID)
        else { return nil }
        over = (balls - 1) / snapshot.ballsPerOver
        self.chasing = chasing
        self.target = target
        wicketsAllowed = MatchSituation.isSuperOver(innings.number, in: snapshot) ? 2 : 10
        // The total of a torn frame may be some runs ahead of its balls.
        let unseen = innings.runs - innings.balls.reduce(0) { $0 + $1.totalRuns }
        penalties = innings.hasTotal && unseen > 0 && unseen.isMultiple(of: 5) ? unseen : 0
    }

    /// - Parameter runs: the runs of the balls before the over.
    func need(runs: Int) -> Int { target - runs - penalties }

    func isClose(runs: Int, wickets: Int) -> Bool {
        Self.closeRuns.contains(need(runs: runs)) && wickets < wicketsAllowed
    }
}
