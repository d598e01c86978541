public import SightscreenModels

/// One match as one frame of the provider shows it, in cricket's terms. `SportMonks` makes it, `Detection` evaluates
/// it.
public struct MatchSnapshot: Codable, Hashable, Sendable {
    public var id: MatchID
    public var format: MatchFormat
    /// The league, as "Indian Premier League", or the series where the provider names no league.
    public var competition: String
    /// The short form of the competition that fits a Lock Screen: "IPL"; nil when the provider has no code.
    public var competitionCode: String?
    /// The round, as "36th Match", "Final" or "3rd T20I"; may be "".
    public var round: String
    public var home: Team
    public var away: Team
    /// The scheduled start in seconds since 1970; nil when the provider has none.
    public var startsAt: Int?
    public var phase: MatchPhase
    /// The provider's note: "Target 183 runs", "X won by 10 runs".
    public var note: String?
    public var winnerID: Int64?
    public var outcome: DrawnOutcome?
    /// Scheduled overs a side; nil for timeless matches.
    public var scheduledOvers: Int?
    /// Balls of an over: six, or five in The Hundred, where `Overs` and balls are counted in sets of five.
    public var ballsPerOver: Int
    /// The runs that the chase needs in all, and its overs, as revised by rain (D/L): overs of "25.3" are 25 overs and
    /// 3 balls.
    public var revisedTarget: Int?
    public var revisedOvers: Overs?
    public var tossWinnerID: Int64?
    /// The choice of the winner of the toss; nil until it is known.
    public var tossDecision: TossDecision?
    public var followOn: Bool
    public var superOver: Bool
    /// The innings in order of play; super overs are innings of their own.
    public var innings: [Innings]
    /// Every player the frame names.
    public var players: [Int64: Player]

    package init(
        id: MatchID, format: MatchFormat, competition: String, round: String, home: Team, away: Team, startsAt: Int?,
        phase: MatchPhase, note: String?, winnerID: Int64?, outcome: DrawnOutcome?, scheduledOvers: Int?,
        revisedTarget: Int?, revisedOvers: Overs?, tossWinnerID: Int64?, followOn: Bool, superOver: Bool,
        innings: [Innings], players: [Int64: Player], competitionCode: String? = nil,
        tossDecision: TossDecision? = nil, ballsPerOver: Int = Overs.usualBalls
    ) {
        self.id = id
        self.format = format
        self.competition = competition
        self.competitionCode = competitionCode
        self.round = round
        self.home = home
        self.away = away
        self.startsAt = startsAt
        self.phase = phase
        self.note = note
        self.winnerID = winnerID
        self.outcome = outcome
        self.scheduledOvers = scheduledOvers
        self.ballsPerOver = ballsPerOver
        self.revisedTarget = revisedTarget
        self.revisedOvers = revisedOvers
        self.tossWinnerID = tossWinnerID
        self.tossDecision = tossDecision
        self.followOn = followOn
        self.superOver = superOver
        self.innings = innings
        self.players = players
    }

    public func team(_ id: Int64) -> Team? { home.id == id ? home : away.id == id ? away : nil }
}

/// The target that a note states: "Target 53 runs", "Target 53 runs in 8 overs", "Revised target 120 from 14.3 overs".
public struct NotedTarget: Hashable, Sendable {
    public var runs: Int
    /// The overs of the chase; nil when the note has none.
    public var overs: Overs?

    /// No side has made more in an innings; a greater number is no target.
    private static let runsMax = 2_000

    /// Nil for a note about something else.
    public init?(_ note: String?, ballsPerOver: Int = Overs.usualBalls) {
        let words = (note ?? "").lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "." }
            .map { String($0.last == "." ? $0.dropLast() : $0) }
        guard let target = words.firstIndex(of: "target"),
            let number = words[(target + 1)...].prefix(3).firstIndex(where: { Int($0) != nil }),
            let runs = Int(words[number]), (1...Self.runsMax).contains(runs)
        else { return nil }
        self.runs = runs
        let rest = words[(number + 1)...]
        overs = zip(rest, rest.dropFirst()).lazy.compactMap { Self.overs($0, unit: $1, ballsPerOver) }.first
    }

    private static func overs(_ number: String, unit: String, _ ballsPerOver: Int) -> Overs? {
        let parts = number.split(separator: ".").map { Int($0) }
        guard let count = parts.first ?? nil, (0..<1_000).contains(count), parts.count <= 2 else { return nil }
        if unit.hasPrefix("ball"), parts.count == 1 { return Overs(legalBalls: count, ballsPerOver: ballsPerOver) }
        guard unit.hasPrefix("over") || unit.hasPrefix("ov") else { return nil }
        guard parts.count == 2 else { return Overs(completed: count, balls: 0, ballsPerOver: ballsPerOver) }
        guard let balls = parts[1], (0..<ballsPerOver).contains(balls) else { return nil }
        return Overs(completed: count, balls: balls, ballsPerOver: ballsPerOver)
    }
}

public struct Player: Codable, Hashable, Sendable {
    public var id: Int64
    public var fullName: String
    public var lastName: String
    package init(id: Int64, fullName: String, lastName: String) {
        self.id = id
        self.fullName = fullName
        self.lastName = lastName
    }
}

public enum MatchFormat: String, Codable, Sendable, Hashable {
    /// Twenty overs a side or fewer.
    case twenty20
    /// ODI and list A.
    case oneDay
    /// Test and first-class.
    case firstClass
}

/// The choice of the toss winner: to bat or to bowl first.
public enum TossDecision: String, Codable, Sendable, Hashable { case bat, bowl }

public enum DrawnOutcome: String, Codable, Sendable, Hashable { case draw, noResult }

/// Completed overs, and the legal balls of the current one.
public struct Overs: Codable, Hashable, Sendable, Comparable, CustomStringConvertible {
    public var completed: Int
    public var balls: Int
    /// Six, or five in The Hundred.
    public var ballsPerOver: Int
    package init(completed: Int, balls: Int, ballsPerOver: Int = Overs.usualBalls) {
        self.completed = completed
        self.balls = balls
        self.ballsPerOver = ballsPerOver
    }
    package init(legalBalls: Int, ballsPerOver: Int) {
        self.init(completed: legalBalls / ballsPerOver, balls: legalBalls % ballsPerOver, ballsPerOver: ballsPerOver)
    }
    public static let usualBalls = 6
    /// The overs in legal balls, as run and economy rates count.
    public var legalBalls: Int { completed * ballsPerOver + balls }
    public static func < (left: Self, right: Self) -> Bool {
        (left.completed, left.balls) < (right.completed, right.balls)
    }
    /// The overs as a scorecard has them: "12.3", "13.0"; in The Hundred the balls: "41".
    public var description: String { ballsPerOver == Self.usualBalls ? "\(completed).\(balls)" : "\(legalBalls)" }
    /// "12.3 overs", "41 balls".
    public var counted: String { "\(self) \(ballsPerOver == Self.usualBalls ? "overs" : "balls")" }
}

public struct Innings: Codable, Hashable, Sendable {
    /// The number of the innings, from 1, as in the provider's scoreboard "S1".
    public var number: Int
    public var battingTeamID: Int64
    public var runs: Int
    public var wickets: Int
    public var overs: Overs
    /// The batters in batting order.
    public var batting: [BattingLine]
    /// The bowlers in the order of their first over.
    public var bowling: [BowlingLine]
    /// The deliveries in order, by the provider's ball id.
    public var balls: [Ball]
    /// When the provider last updated the total, in seconds since 1970; nil when it does not say.
    public var updatedAt: Int?
    /// Whether the provider gave the total; otherwise it is the sum of the balls.
    public var hasTotal: Bool
    /// Whether the side was all out with fewer than ten wickets, because the rest of it could not bat. The provider's
    /// rows do not say so; `Detection` finds it by how the innings ended.
    public var ranOutOfBatters = false

    package init(
        number: Int, battingTeamID: Int64, runs: Int, wickets: Int, overs: Overs, batting: [BattingLine],
        bowling: [BowlingLine], balls: [Ball], updatedAt: Int? = nil, hasTotal: Bool = true
    ) {
        self.number = number
        self.battingTeamID = battingTeamID
        self.runs = runs
        self.wickets = wickets
        self.overs = overs
        self.batting = batting
        self.bowling = bowling
        self.balls = balls
        self.updatedAt = updatedAt
        self.hasTotal = hasTotal
    }
}

public struct BattingLine: Codable, Hashable, Sendable {
    public var playerID: Int64
    public var runs: Int
    public var ballsFaced: Int
    public var fours: Int
    public var sixes: Int
    /// The dismissal; nil while the batter is not out (retired hurt included).
    public var dismissal: Dismissal?
    /// The ball on which the wicket fell by the row, as "12.3"; nil when not out or not said.
    public var fellOn: String?
    /// The side's total at the fall of the wicket; nil when not out or not said.
    public var fellAt: Int?
    /// Why the batter does not bat on without being out; nil for a batter who is out or may bat.
    public var absence: Absence?

    package init(
        playerID: Int64, runs: Int, ballsFaced: Int, fours: Int, sixes: Int, dismissal: Dismissal?,
        fellOn: String? = nil, fellAt: Int? = nil, absence: Absence? = nil
    ) {
        self.playerID = playerID
        self.runs = runs
        self.ballsFaced = ballsFaced
        self.fours = fours
        self.sixes = sixes
        self.dismissal = dismissal
        self.fellOn = fellOn
        self.fellAt = fellAt
        self.absence = absence
    }
}

/// A batter is off the field without being out: retired hurt (who may come back), or absent, hurt or not, all innings.
public enum Absence: String, Codable, Sendable, Hashable { case retired, absent }

public struct Dismissal: Codable, Hashable, Sendable {
    public var how: HowOut
    public var bowlerID: Int64?
    /// The catcher, the stumper, or the fielder who ran the batter out.
    public var fielderID: Int64?
    package init(how: HowOut, bowlerID: Int64?, fielderID: Int64?) {
        self.how = how
        self.bowlerID = bowlerID
        self.fielderID = fielderID
    }
}

public enum HowOut: String, Codable, Sendable, Hashable {
    case bowled, caught, caughtAndBowled, lbw, stumped, hitWicket
    case runOut, obstructingTheField, timedOut, retiredOut, handledTheBall, hitTwice
    case unknown

    /// Whether the wicket counts for the bowler: bowled, caught, hit wicket, leg before and stumped (Laws 32, 33, 35,
    /// 36 and 39).
    public var isBowlers: Bool {
        switch self {
        case .bowled, .caught, .caughtAndBowled, .lbw, .stumped, .hitWicket: true
        default: false
        }
    }
}

public struct BowlingLine: Codable, Hashable, Sendable {
    public var playerID: Int64
    public var overs: Overs
    public var maidens: Int
    public var runs: Int
    public var wickets: Int
    public var wides: Int
    public var noBalls: Int

    package init(playerID: Int64, overs: Overs, maidens: Int, runs: Int, wickets: Int, wides: Int, noBalls: Int) {
        self.playerID = playerID
        self.overs = overs
        self.maidens = maidens
        self.runs = runs
        self.wickets = wickets
        self.wides = wides
        self.noBalls = noBalls
    }
}

/// One delivery.
public struct Ball: Codable, Hashable, Sendable {
    public var id: Int64
    /// Completed overs before the ball, from 0.
    public var over: Int
    /// One more than the legal balls before it in the over: a wide has the label of the ball that replaces it.
    public var number: Int
    /// Six, or five in The Hundred.
    public var ballsPerOver = Overs.usualBalls
    public var strikerID: Int64
    public var nonStrikerID: Int64?
    public var bowlerID: Int64
    public var runsOffBat: Int
    public var isBoundary: Bool
    public var wides: Int
    public var noBalls: Int
    public var byes: Int
    public var legByes: Int
    /// The batter who is out on the ball; nil when none is (retired hurt is not out).
    public var outID: Int64?
    public var howOut: HowOut?
    public var fielderID: Int64?
    /// The row's `updated_at` in seconds since 1970; 0 when it has none.
    public var updatedAt: Int

    package init(
        id: Int64, over: Int, number: Int, strikerID: Int64, nonStrikerID: Int64?, bowlerID: Int64, runsOffBat: Int,
        isBoundary: Bool, wides: Int, noBalls: Int, byes: Int, legByes: Int, outID: Int64?, howOut: HowOut?,
        fielderID: Int64?, updatedAt: Int
    ) {
        self.id = id
        self.over = over
        self.number = number
        self.strikerID = strikerID
        self.nonStrikerID = nonStrikerID
        self.bowlerID = bowlerID
        self.runsOffBat = runsOffBat
        self.isBoundary = isBoundary
        self.wides = wides
        self.noBalls = noBalls
        self.byes = byes
        self.legByes = legByes
        self.outID = outID
        self.howOut = howOut
        self.fielderID = fielderID
        self.updatedAt = updatedAt
    }

    /// The ball's label: "12.3"; in The Hundred its number in the innings, "41".
    public var label: String {
        ballsPerOver == Overs.usualBalls ? "\(over).\(number)" : "\(over * ballsPerOver + number)"
    }
    public var isLegal: Bool { wides == 0 && noBalls == 0 }
    /// Runs that count against the bowler: all but byes, leg-byes and penalties.
    public var runsConceded: Int { runsOffBat + wides + noBalls }
    public var totalRuns: Int { runsConceded + byes + legByes }
}
