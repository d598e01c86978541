import Cricket
import SightscreenModels

/// Writes an innings ball by ball, as short as a scorebook: the striker is 1 (11 after a wicket, 12 …), the bowler 21.
struct BallByBall {
    var match: MatchSnapshot
    var runs: Int { match.innings[0].runs }
    private var nextID: Int64 = 100
    private var legal = 0
    private var over = 0
    private var striker: Int64 = 1
    private var nextBatter: Int64 = 11
    var bowler: Int64 = 21

    init(format: MatchFormat = .twenty20, phase: MatchPhase = .innings(1)) {
        let names: [Int64: String] = [
            1: "Rohit Sharma", 2: "Ishan Kishan", 11: "Kieron Pollard", 12: "Hardik Pandya", 13: "Tim David",
            14: "Tilak Varma", 21: "Jasprit Bumrah", 22: "Rashid Khan", 31: "Virat Kohli",
        ]
        match = MatchSnapshot(
            id: MatchID(7), format: format, competition: "IPL", round: "1st Match",
            home: Team(id: 100, name: "Mumbai Indians", code: "MI"),
            away: Team(id: 200, name: "Chennai Super Kings", code: "CSK"), startsAt: nil, phase: phase, note: nil,
            winnerID: nil, outcome: nil, scheduledOvers: 20, revisedTarget: nil, revisedOvers: nil, tossWinnerID: nil,
            followOn: false, superOver: false,
            innings: [
                Innings(
                    number: 1, battingTeamID: 100, runs: 0, wickets: 0, overs: Overs(completed: 0, balls: 0),
                    batting: [], bowling: [], balls: [])
            ],
            players: Dictionary(
                uniqueKeysWithValues: names.map {
                    let last = $1.split(separator: " ").last.map(String.init) ?? $1
                    return ($0, Player(id: $0, fullName: $1, lastName: last))
                }))
    }

    /// Bowls `.` 0, `1`…`3` and `5` run, `4` `6` boundaries, `f` all-run four, `w` wide, `n` no-ball, `b` bye, `W`
    /// bowled, `c` caught by 31, `r` run out, `s` stumped off a wide, `|` the next over and the other bowler.
    mutating func bowl(_ balls: String) {
        for symbol in balls {
            if symbol == "|" {
                over += 1
                legal = 0
                bowler = bowler == 21 ? 22 : 21
                continue
            }
            bowl(symbol)
        }
    }

    private mutating func bowl(_ symbol: Character) {
        nextID += 3
        var ball = Ball(
            id: nextID, over: over, number: legal + 1, strikerID: striker, nonStrikerID: 2, bowlerID: bowler,
            runsOffBat: 0, isBoundary: false, wides: 0, noBalls: 0, byes: 0, legByes: 0, outID: nil, howOut: nil,
            fielderID: nil, updatedAt: Int(nextID))
        switch symbol {
        case "4", "6": (ball.runsOffBat, ball.isBoundary) = (symbol == "4" ? 4 : 6, true)
        case "1", "2", "3", "5": ball.runsOffBat = symbol.wholeNumberValue ?? 0
        case "f": ball.runsOffBat = 4
        case "w": ball.wides = 1
        case "n": ball.noBalls = 1
        case "N": (ball.noBalls, ball.runsOffBat, ball.isBoundary) = (1, 6, true)
        case "b": ball.byes = 1
        case "W": (ball.outID, ball.howOut) = (striker, .bowled)
        case "c": (ball.outID, ball.howOut, ball.fielderID) = (striker, .caught, 31)
        case "r": (ball.outID, ball.howOut, ball.fielderID) = (striker, .runOut, 31)
        case "s": (ball.outID, ball.howOut, ball.fielderID, ball.wides) = (striker, .stumped, 31, 1)
        default: break
        }
        match.innings[0].balls.append(ball)
        if ball.isLegal { legal += 1 }
        match.innings[0].runs += ball.totalRuns
        match.innings[0].overs =
            legal >= 6 ? Overs(completed: over + 1, balls: 0) : Overs(completed: over, balls: legal)
        if ball.outID != nil {
            match.innings[0].wickets += 1
            striker = nextBatter
            nextBatter += 1
        }
    }
}
