import Cricket
import SightscreenModels

/// Scores a made-up match ball by ball, so that a test can say what happens and get the frame that shows it.
struct TestScorebook {
    static let home = Team(id: 1, name: "Mumbai Indians", code: "MI")
    static let away = Team(id: 2, name: "Chennai Super Kings", code: "CSK")

    var snapshot: MatchSnapshot
    /// The provider's clock, seconds; each ball takes 40.
    var clock: Int
    private var strikerID: Int64 = 0
    private var nonStrikerID: Int64 = 0
    private var bowlers: [Int64] = []

    init(format: MatchFormat = .twenty20, overs: Int? = 20, startsAt: Int = 1_000_000) {
        var players: [Int64: Player] = [:]
        for team in [Int64(1), 2] {
            for number in Int64(1)...11 {
                let id = team * 100 + number
                players[id] = Player(id: id, fullName: "First\(id) Last\(id)", lastName: "Last\(id)")
            }
        }
        clock = startsAt
        snapshot = MatchSnapshot(
            id: MatchID(77), format: format, competition: "IPL", round: "12th Match", home: Self.home, away: Self.away,
            startsAt: startsAt, phase: .notStarted, note: nil, winnerID: nil, outcome: nil, scheduledOvers: overs,
            revisedTarget: nil, revisedOvers: nil, tossWinnerID: nil, followOn: false, superOver: false, innings: [],
            players: players)
    }

    /// A frame fetched now, in milliseconds.
    var fetchedAt: Int64 { Int64(clock) * 1_000 }

    mutating func startInnings(batting team: Int64) {
        let number = snapshot.innings.count + 1
        let rows = [Int64(1), 2].map {
            BattingLine(playerID: team * 100 + $0, runs: 0, ballsFaced: 0, fours: 0, sixes: 0, dismissal: nil)
        }
        snapshot.innings.append(
            Innings(
                number: number, battingTeamID: team, runs: 0, wickets: 0, overs: Overs(completed: 0, balls: 0),
                batting: rows, bowling: [], balls: []))
        snapshot.phase = .innings(number)
        strikerID = team * 100 + 1
        nonStrikerID = team * 100 + 2
        bowlers = [11, 10, 9, 8, 7].map { (3 - team) * 100 + $0 }
    }

    /// Bowls balls written as `recentBalls` shows them, apart by blanks.
    mutating func bowl(_ balls: String) {
        for ball in balls.split(separator: " ") { bowlOne(String(ball)) }
    }

    private mutating func bowlOne(_ text: String) {
        clock += 40
        let at = snapshot.innings.count - 1
        var innings = snapshot.innings[at]
        let over = innings.overs.completed
        let bowlerID = bowlers[over % bowlers.count]
        var ball = Ball(
            id: Int64(innings.number * 10_000 + (innings.balls.count + 1) * 3), over: over,
            number: innings.overs.balls + 1, strikerID: strikerID, nonStrikerID: nonStrikerID, bowlerID: bowlerID,
            runsOffBat: 0, isBoundary: false, wides: 0, noBalls: 0, byes: 0, legByes: 0, outID: nil, howOut: nil,
            fielderID: nil, updatedAt: clock)
        switch text {
        case "W":
            ball.outID = strikerID
            ball.howOut = .bowled
        case "wd": ball.wides = 1
        case "nb": ball.noBalls = 1
        case "b": ball.byes = 1
        case "lb": ball.legByes = 1
        case "•": break
        default:
            ball.runsOffBat = Int(text) ?? 0
            ball.isBoundary = text == "4" || text == "6"
        }
        innings.balls.append(ball)
        innings.runs += ball.totalRuns
        score(ball, in: &innings)
        snapshot.innings[at] = innings
    }

    private mutating func score(_ ball: Ball, in innings: inout Innings) {
        if let row = innings.batting.firstIndex(where: { $0.playerID == ball.strikerID }) {
            innings.batting[row].runs += ball.runsOffBat
            if ball.wides == 0 { innings.batting[row].ballsFaced += 1 }
            if ball.isBoundary, ball.runsOffBat == 4 { innings.batting[row].fours += 1 }
            if ball.isBoundary, ball.runsOffBat == 6 { innings.batting[row].sixes += 1 }
            if let how = ball.howOut {
                innings.batting[row].dismissal = Dismissal(how: how, bowlerID: ball.bowlerID, fielderID: nil)
            }
        }
        if !innings.bowling.contains(where: { $0.playerID == ball.bowlerID }) {
            innings.bowling.append(
                BowlingLine(
                    playerID: ball.bowlerID, overs: Overs(completed: 0, balls: 0), maidens: 0, runs: 0, wickets: 0,
                    wides: 0, noBalls: 0))
        }
        if let row = innings.bowling.firstIndex(where: { $0.playerID == ball.bowlerID }) {
            innings.bowling[row].runs += ball.runsConceded
            if ball.isLegal { innings.bowling[row].overs = innings.bowling[row].overs.next }
            if ball.outID != nil { innings.bowling[row].wickets += 1 }
        }
        if ball.isLegal { innings.overs = innings.overs.next }
        if (ball.isBoundary ? 0 : ball.runsOffBat) + ball.byes + ball.legByes == 1 { swap(&strikerID, &nonStrikerID) }
        if ball.outID != nil {
            innings.wickets += 1
            if innings.batting.count < 11 {
                let next = innings.battingTeamID * 100 + Int64(innings.batting.count) + 1
                innings.batting.append(
                    BattingLine(playerID: next, runs: 0, ballsFaced: 0, fours: 0, sixes: 0, dismissal: nil))
                strikerID = next
            }
        }
        if ball.isLegal, innings.overs.balls == 0 {
            let inOver = innings.balls.filter { $0.over == ball.over }
            let isMaiden = inOver.allSatisfy { $0.runsConceded == 0 }
            if isMaiden, let row = innings.bowling.firstIndex(where: { $0.playerID == ball.bowlerID }) {
                innings.bowling[row].maidens += 1
            }
            swap(&strikerID, &nonStrikerID)
        }
    }
}

extension Overs {
    fileprivate var next: Overs {
        balls == 5 ? Overs(completed: completed + 1, balls: 0) : Overs(completed: completed, balls: balls + 1)
    }
}

extension Innings {
    /// As a card has it: without its wickets once all are out.
    var shownScore: String { wickets == 10 ? "\(runs)" : "\(runs)/\(wickets)" }
}
