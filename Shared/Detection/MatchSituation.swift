import Cricket
import SightscreenModels

/// The situation of a match, worked out from one snapshot: which innings is on, what a chase needs, who leads.
struct MatchSituation {
    let snapshot: MatchSnapshot
    /// The innings that is on or was last on; nil before the first.
    let current: Innings?
    let batting: Team?
    /// Balls the current innings may last; nil for a timeless match.
    let ballsAllowed: Int?
    let wicketsAllowed: Int
    let chase: Chase?

    /// The target of the side that bats last, or is about to.
    struct Chase: Equatable {
        let team: Team
        let target: Int
        /// Runs still needed; 0 or less when the target is reached.
        let need: Int
        /// Nil without a limit of overs.
        let ballsLeft: Int?
        let wicketsLeft: Int
    }

    init(_ snapshot: MatchSnapshot) {
        self.snapshot = snapshot
        current = snapshot.innings.last
        batting = current.flatMap { snapshot.team($0.battingTeamID) }
        guard let current else {
            ballsAllowed = snapshot.scheduledOvers.map { $0 * snapshot.ballsPerOver }
            wicketsAllowed = 10
            chase = nil
            return
        }
        let isSuper = Self.isSuperOver(current.number, in: snapshot)
        wicketsAllowed = isSuper ? 2 : 10
        ballsAllowed = Self.balls(of: current.number, in: snapshot)
        chase = Self.chase(in: snapshot, current: current)
    }

    /// Whether the innings is a super over. Super overs are innings of their own: the third and later of a
    /// limited-overs match.
    static func isSuperOver(_ number: Int, in snapshot: MatchSnapshot) -> Bool {
        snapshot.format != .firstClass && number > 2
    }

    /// Whether the current innings is over by its figures: all out, out of balls, or the target reached.
    var isInningsOver: Bool {
        guard let current else { return false }
        if current.wickets >= wicketsAllowed || ballsAllowed.map({ current.overs.legalBalls >= $0 }) ?? false {
            return true
        }
        return current.number > 1 && chase.map { $0.need <= 0 } ?? false
    }

    var isSuperOver: Bool { current.map { Self.isSuperOver($0.number, in: snapshot) } ?? false }

    /// How far the current innings has come, 0…1; nil for a timeless match.
    var progress: Double? {
        guard let current, let ballsAllowed, ballsAllowed > 0 else { return nil }
        return min(1, Double(current.overs.legalBalls) / Double(ballsAllowed))
    }

    /// Whether the side that batted second bats again at once, in a first-class match. Between the two innings only
    /// the provider's own word says so.
    var followsOn: Bool {
        guard snapshot.format == .firstClass, let current else { return false }
        if current.number == 2 { return snapshot.followOn && InningsEnd.event(of: current, in: snapshot) != nil }
        guard current.number == 3 else { return false }
        return snapshot.innings.first { $0.number == 2 }?.battingTeamID == current.battingTeamID
    }

    /// Runs by which the batting side leads (positive) or trails (negative), all innings counted; nil in the first
    /// innings and outside first-class matches.
    var lead: Int? {
        guard snapshot.format == .firstClass, let current, current.number > 1 else { return nil }
        return Self.runs(of: current.battingTeamID, in: snapshot, upTo: current.number)
            - Self.runs(against: current.battingTeamID, in: snapshot, upTo: current.number)
    }

    private static func runs(of team: Int64, in snapshot: MatchSnapshot, upTo number: Int) -> Int {
        snapshot.innings.reduce(0) { $0 + ($1.number <= number && $1.battingTeamID == team ? $1.runs : 0) }
    }

    private static func runs(against team: Int64, in snapshot: MatchSnapshot, upTo number: Int) -> Int {
        snapshot.innings.reduce(0) { $0 + ($1.number <= number && $1.battingTeamID != team ? $1.runs : 0) }
    }

    static func balls(of number: Int, in snapshot: MatchSnapshot) -> Int? {
        if isSuperOver(number, in: snapshot) { return snapshot.ballsPerOver }
        return number == 2
            ? chaseBalls(in: snapshot) : snapshot.scheduledOvers.map { max(0, $0) * snapshot.ballsPerOver }
    }

    /// Balls that the second innings may last, as rain may have left them; nil for a timeless match, and where a target
    /// was revised and nobody has said in how many overs it is to be made.
    static func chaseBalls(in snapshot: MatchSnapshot) -> Int? {
        if let revised = snapshot.revisedOvers { return revised.legalBalls }
        guard let scheduled = snapshot.scheduledOvers else { return nil }
        let plain = snapshot.innings.first { $0.number == 1 }.map { $0.runs + 1 }
        let isRevised = snapshot.revisedTarget.map { $0 > 0 && $0 != plain } ?? false
        return isRevised && usualOvers.contains(scheduled) ? nil : max(0, scheduled) * snapshot.ballsPerOver
    }

    /// The overs of matches that rain has not shortened. The provider lowers the scheduled overs at times: then they
    /// are no such number, and are those of the chase.
    private static let usualOvers = [10, 20, 50]

    private static func chase(in snapshot: MatchSnapshot, current: Innings) -> Chase? {
        let isBreak = snapshot.phase == .inningsBreak
        if snapshot.format == .firstClass { return lastInnings(of: snapshot, current: current, isBreak: isBreak) }
        let wickets = isSuperOver(current.number, in: snapshot) ? 2 : 10
        if current.number % 2 == 0 {
            guard let team = snapshot.team(current.battingTeamID),
                let target = limitedTarget(of: current.number, in: snapshot)
            else { return nil }
            let left = balls(of: current.number, in: snapshot).map { max(0, $0 - current.overs.legalBalls) }
            return Chase(
                team: team, target: target, need: target - current.runs, ballsLeft: left,
                wicketsLeft: max(0, wickets - current.wickets))
        }
        guard isBreak, let target = limitedTarget(of: current.number + 1, in: snapshot) else { return nil }
        let team = snapshot.home.id == current.battingTeamID ? snapshot.away : snapshot.home
        return Chase(
            team: team, target: target, need: target, ballsLeft: balls(of: current.number + 1, in: snapshot),
            wicketsLeft: wickets)
    }

    /// The chase of the fourth innings, or of the fourth innings that follows a break after the third.
    private static func lastInnings(of snapshot: MatchSnapshot, current: Innings, isBreak: Bool) -> Chase? {
        guard current.number >= 4 || (isBreak && current.number == 3) else { return nil }
        let fielding = snapshot.home.id == current.battingTeamID ? snapshot.away : snapshot.home
        guard let team = current.number >= 4 ? snapshot.team(current.battingTeamID) : fielding else { return nil }
        let before = runs(of: team.id, in: snapshot, upTo: 3)
        let target = runs(against: team.id, in: snapshot, upTo: current.number) - before + 1
        let made = current.number >= 4 ? current.runs : 0
        // A lead without a fourth innings means that the match is won by an innings.
        guard target > 0, current.number >= 4 || !hasBattedTwice(team.id, in: snapshot) else { return nil }
        return Chase(
            team: team, target: target, need: target - made, ballsLeft: nil,
            wicketsLeft: current.number >= 4 ? max(0, 10 - current.wickets) : 10)
    }

    private static func hasBattedTwice(_ team: Int64, in snapshot: MatchSnapshot) -> Bool {
        snapshot.innings.count { $0.battingTeamID == team } > 1
    }

    static func limitedTarget(of number: Int, in snapshot: MatchSnapshot) -> Int? {
        if number == 2, let revised = snapshot.revisedTarget, revised > 0 { return revised }
        return snapshot.innings.first { $0.number == number - 1 }.map { $0.runs + 1 }
    }
}
