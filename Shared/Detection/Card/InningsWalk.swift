import Cricket
import SightscreenModels

/// Walks through one innings ball by ball and finds the events of each ball, in a fixed order: the ball itself, scores,
/// wickets, the bowler's feats, the over, the new batter. An event that only the batting and bowling rows or the total
/// show (Tier 0) is placed after the ball that it follows.
struct InningsWalk {
    /// An innings longer than any ever played: a total beyond it is a slip of the provider.
    static let oversMax = 500
    /// No batter has made more than 501 in first-class cricket; a figure beyond this is a slip of the provider.
    static let runsMax = 999

    private let innings: Innings
    private let snapshot: MatchSnapshot
    private let arrivals: Arrivals
    private let missing: MissingBalls
    private let words: EventText
    private let finish: LastOver?
    private var batters: [Int64: BatterTally] = [:]
    private var bowlers: [Int64: BowlerTally] = [:]
    /// The overs by number, since a ball that is entered late belongs to an earlier over.
    private var overs: [Int: OverTally] = [:]
    private var current = -1
    private var newest = -1
    private var runs = 0
    private var wickets = 0
    private var found: [MatchEvent] = []
    private var keys = Set<String>()

    init(_ innings: Innings, in snapshot: MatchSnapshot) {
        self.innings = innings
        self.snapshot = snapshot
        arrivals = Arrivals(innings)
        missing = MissingBalls(innings)
        words = EventText(snapshot)
        finish = LastOver(innings, in: snapshot)
    }

    /// All events of the innings except its break.
    mutating func events() -> [MatchEvent] {
        emitUnseen(after: -1)
        if finish?.over == 0 { emitCloseFinish(after: nil) }
        for place in innings.balls.indices { walk(place) }
        endOvers(from: newest + 1, upTo: innings.overs.completed)
        emitTotals()
        emitFigures()
        return found
    }

    private mutating func walk(_ place: Int) {
        let ball = innings.balls[place]
        beginOver(of: ball)
        batters[ball.strikerID, default: BatterTally()].take(ball)
        bowlers[ball.bowlerID, default: BowlerTally()].take(ball)
        overs[ball.over, default: OverTally()].take(ball)
        runs += ball.totalRuns
        if ball.outID != nil { wickets += 1 }

        emitBall(ball)
        emitScore(ball)
        emitWicket(ball)
        for line in arrivals.wickets[place] ?? [] { emitUnseenWicket(line, after: ball) }
        emitBowler(ball)
        if let tally = batters[ball.strikerID], tally.isOnFire, !missing.batters.contains(ball.strikerID) {
            emit(.batterOnFire, "p\(ball.strikerID)", ball, player: ball.strikerID) {
                $0.batterOnFire(ball.strikerID, runs: tally.runs, balls: tally.faced)
            }
        }
        emitOver(place)
        for player in arrivals.newBatters[place] ?? [] { emitNewBatter(player, after: ball) }
        if keys.contains(key(.endOfOver, "o\(ball.over)")), ball.over + 1 == finish?.over {
            emitCloseFinish(after: ball)
        }
    }

    // MARK: - The ball itself

    private mutating func emitBall(_ ball: Ball) {
        guard ball.outID == nil else { return }
        let kind = Self.kind(of: ball)
        emit(kind, key: "\(kind.rawValue):b\(ball.id)", ball, player: ball.strikerID) { $0.delivery(ball, kind) }
    }

    private static func kind(of ball: Ball) -> EventKind {
        if ball.isBoundary, ball.wides == 0 {
            if ball.runsOffBat == 4 { return .four }
            if ball.runsOffBat == 6 { return .six }
        }
        guard ball.isLegal, ball.byes == 0, ball.legByes == 0 else { return .extras }
        switch ball.runsOffBat {
        case 0: return .dot
        case 1: return .one
        case 2: return .two
        case 3: return .three
        default: return .extras
        }
    }

    /// Emits sixes in a row, the nineties and milestones of the striker.
    private mutating func emitScore(_ ball: Ball) {
        let striker = ball.strikerID
        guard let tally = batters[striker] else { return }
        if tally.sixes >= 3, ball.wides == 0 {
            let key = "consecutiveSixes:b\(tally.firstSix):\(tally.sixes)"
            emit(.consecutiveSixes, key: key, ball, player: striker, value: tally.sixes) {
                $0.consecutiveSixes(ball, tally.sixes)
            }
        }
        if (90...99).contains(tally.runs), !missing.batters.contains(striker) {
            emit(.nineties, "p\(striker)", ball, player: striker) { $0.nineties(striker, runs: tally.runs) }
        }
        let before = tally.runs - ball.runsOffBat
        for value in Self.multiples(after: before, upTo: tally.runs) {
            emit(.milestone, "p\(striker):\(value)", ball, player: striker, value: value) {
                $0.milestone(striker, value, balls: tally.faced)
            }
        }
    }

    private static func multiples(after before: Int, upTo runs: Int) -> StrideThrough<Int> {
        stride(from: (before / 50 + 1) * 50, through: min(runs, runsMax), by: 50)
    }

    private mutating func emitWicket(_ ball: Ball) {
        guard let out = ball.outID else { return }
        let line = innings.batting.first { $0.playerID == out && $0.dismissal != nil }
        let tally = batters[out] ?? BatterTally()
        let dismissal = Dismissal(how: ball.howOut ?? .unknown, bowlerID: ball.bowlerID, fielderID: ball.fielderID)
        let (runs, faced) = line.map { ($0.runs, $0.ballsFaced) } ?? (tally.runs, tally.faced)
        emit(.wicket, "p\(out)", ball, player: out) { $0.wicket(out, dismissal, runs: runs, balls: faced) }
    }

    private mutating func emitBowler(_ ball: Ball) {
        guard ball.outID != nil, ball.howOut?.isBowlers == true, let tally = bowlers[ball.bowlerID] else { return }
        let bowler = ball.bowlerID
        // The first wicket identifies a streak, because a batter is out only once.
        let streak = "p\(bowler):w\(tally.streak.first ?? 0)"
        if tally.streak.count == 2 {
            emit(.onHatTrick, streak, ball, player: bowler) { $0.onHatTrick(bowler, out: tally.streak) }
        } else if tally.streak.count > 2 {
            let value = tally.streak.count
            emit(.hatTrick, "\(streak):\(value)", ball, player: bowler, value: value) {
                $0.hatTrick(bowler, out: tally.streak)
            }
        }
        if Self.fives.contains(tally.wickets) {
            let value = tally.wickets
            emit(.fiveWickets, "p\(bowler):\(value)", ball, player: bowler, value: value) {
                $0.fiveWickets(bowler, value, conceded: tally.conceded)
            }
        }
        if tally.isOnFire(in: snapshot.format), !missing.bowlers.contains(bowler) {
            emit(.bowlerOnFire, "p\(bowler)", ball, player: bowler) { $0.bowlerOnFire(bowler, tally) }
        }
    }

    /// The counts of wickets in an innings at which a bowler has an event.
    private static let fives = [5, 10]

    // MARK: - Overs

    private mutating func beginOver(of ball: Ball) {
        let legalBefore = overs[ball.over]?.allLegalBalls ?? 0
        let leavesShort =
            ball.over != current && current >= 0 && (overs[current]?.legalBalls ?? 0) < ball.ballsPerOver - 1
        // Balls missing before this one may have ended every streak.
        if ball.number > legalBefore + 1 || ball.over > newest + 1 || leavesShort { breakStreaks() }
        endOvers(from: newest + 1, upTo: ball.over)
        current = ball.over
        newest = max(newest, ball.over)
    }

    private mutating func breakStreaks() {
        for id in bowlers.keys { bowlers[id]?.streak = [] }
        for id in batters.keys { batters[id]?.sixes = 0 }
    }

    private mutating func emitOver(_ place: Int) {
        let ball = innings.balls[place]
        guard let over = overs[ball.over] else { return }
        let isLast = place == innings.balls.count - 1
        let isLastOfOver = isLast || innings.balls[place + 1].over != ball.over
        let hasNext = !isLast || innings.overs.completed > ball.over
        guard over.legalBalls == ball.ballsPerOver || (isLastOfOver && hasNext) else { return }
        let score = isLast ? (innings.runs, innings.wickets) : (runs, wickets)
        let innings = innings
        emit(.endOfOver, "o\(ball.over)", ball, player: nil) { $0.endOfOver(ball.over, of: innings, score: score) }
        guard over.legalBalls == Overs.usualBalls, over.allLegalBalls == Overs.usualBalls, over.conceded == 0,
            over.bowlers.count == 1
        else { return }
        emit(.maidenOver, "o\(ball.over)", ball, player: ball.bowlerID) {
            $0.maiden(ball.bowlerID, wickets: over.wickets)
        }
    }

    /// Emits the ends of overs that the total counts and no ball shows.
    private mutating func endOvers(from first: Int, upTo end: Int) {
        let end = min(end, Self.oversMax)
        guard first < end else { return }
        for number in first..<end {
            let isLast = number == innings.overs.completed - 1 && innings.overs.balls == 0
            let score = isLast ? (innings.runs, innings.wickets) : nil
            let innings = innings
            emitUnseen(.endOfOver, "o\(number)", ball: nil) { $0.endOfOver(number, of: innings, score: score) }
        }
    }

    /// - Parameter ball: the ball before the last over; nil where the innings has only one over.
    private mutating func emitCloseFinish(after ball: Ball?) {
        guard let finish, finish.isClose(runs: runs, wickets: wickets) else { return }
        let key = "closeFinish:S\(innings.number)"
        guard keys.insert(key).inserted else { return }
        found.append(
            MatchEvent(
                key: key, kind: .closeFinish, innings: innings.number, ball: ball?.label, ballID: ball?.id,
                text: words.closeFinish(finish.chasing, need: finish.need(runs: runs)),
                at: ball?.updatedAt ?? innings.updatedAt ?? 0))
    }

    // MARK: - Events that no ball shows

    private mutating func emitUnseenWicket(_ line: BattingLine, after ball: Ball?) {
        guard let dismissal = line.dismissal else { return }
        emitUnseen(.wicket, "p\(line.playerID)", ball: ball, player: line.playerID) {
            $0.wicket(line.playerID, dismissal, runs: line.runs, balls: line.ballsFaced)
        }
        wickets += 1
    }

    private mutating func emitNewBatter(_ player: Int64, after ball: Ball?) {
        emitUnseen(.newBatter, "p\(player)", ball: ball, player: player) { $0.newBatter(player) }
    }

    private mutating func emitUnseen(after place: Int) {
        for line in arrivals.wickets[place] ?? [] { emitUnseenWicket(line, after: nil) }
        for player in arrivals.newBatters[place] ?? [] { emitNewBatter(player, after: nil) }
    }

    /// Emits milestones, nineties and batters on fire from batting rows that the balls do not add up to.
    private mutating func emitTotals() {
        for line in innings.batting {
            let player = line.playerID
            if (90...99).contains(line.runs) {
                emitUnseen(.nineties, "p\(player)", ball: innings.balls.last, player: player) {
                    $0.nineties(player, runs: line.runs)
                }
            }
            if missing.batters.contains(player), BatterTally(runs: line.runs, faced: line.ballsFaced).isOnFire {
                emitUnseen(.batterOnFire, "p\(player)", ball: innings.balls.last, player: player) {
                    $0.batterOnFire(player, runs: line.runs, balls: line.ballsFaced)
                }
            }
            for value in Self.multiples(after: 0, upTo: line.runs) {
                emitUnseen(.milestone, "p\(player):\(value)", ball: innings.balls.last, player: player, value: value) {
                    $0.milestone(player, value, balls: nil)
                }
            }
        }
    }

    /// Emits five wickets and bowlers on fire from the figures of bowlers whose balls are missing.
    private mutating func emitFigures() {
        for line in innings.bowling where missing.bowlers.contains(line.playerID) {
            let bowler = line.playerID
            for value in Self.fives where line.wickets >= value {
                emitUnseen(.fiveWickets, "p\(bowler):\(value)", ball: innings.balls.last, player: bowler, value: value)
                {
                    $0.fiveWickets(bowler, line.wickets, conceded: line.runs)
                }
            }
            let tally = BowlerTally(conceded: line.runs, legalBalls: line.overs.legalBalls, wickets: line.wickets)
            guard tally.isOnFire(in: snapshot.format) else { continue }
            emitUnseen(.bowlerOnFire, "p\(bowler)", ball: innings.balls.last, player: bowler) {
                $0.bowlerOnFire(bowler, tally)
            }
        }
    }

    // MARK: - Emitting

    /// Emits an event of `ball`, unless the innings already has one of this kind with the same `once`.
    private mutating func emit(
        _ kind: EventKind, _ once: String, _ ball: Ball, player: Int64?, value: Int? = nil,
        text: (EventText) -> String
    ) {
        emit(kind, key: key(kind, once), ball, player: player, value: value, text: text)
    }

    private mutating func emit(
        _ kind: EventKind, key: String, _ ball: Ball, player: Int64?, value: Int? = nil, text: (EventText) -> String
    ) {
        guard keys.insert(key).inserted else { return }
        found.append(
            MatchEvent(
                key: key, kind: kind, value: value, innings: innings.number, ball: ball.label, ballID: ball.id,
                playerID: player, bowlerID: Self.namesBowler(kind) ? ball.bowlerID : nil,
                batterID: Self.namesBatter(kind) ? ball.strikerID : nil,
                outID: Self.namesOut(kind) ? ball.outID : nil, text: text(words), at: ball.updatedAt))
    }

    /// Emits an event that only rows and totals show, with the time of `ball`, the ball before it: the time of a row
    /// moves with every ball and says nothing.
    private mutating func emitUnseen(
        _ kind: EventKind, _ once: String, ball: Ball?, player: Int64? = nil, value: Int? = nil,
        text: (EventText) -> String
    ) {
        let key = key(kind, once)
        guard keys.insert(key).inserted else { return }
        found.append(
            MatchEvent(
                key: key, kind: kind, value: value, innings: innings.number, ball: ball?.label, playerID: player,
                bowlerID: Self.isBowlers(kind) ? player : nil,
                batterID: Self.namesBatter(kind) && kind != .wicket ? player : nil,
                outID: kind == .wicket ? player : nil, text: text(words),
                at: ball?.updatedAt ?? 0))
    }
    /// Whether the event carries the ball's bowler. The end of an over does not; a maiden belongs to its bowler.
    private static func namesBowler(_ kind: EventKind) -> Bool { kind != .endOfOver }

    private static func isBowlers(_ kind: EventKind) -> Bool { kind == .bowlerOnFire || kind == .fiveWickets }

    private static func namesBatter(_ kind: EventKind) -> Bool {
        switch kind {
        case .endOfOver, .maidenOver, .bowlerOnFire, .fiveWickets: false
        default: true
        }
    }

    private static func namesOut(_ kind: EventKind) -> Bool {
        switch kind {
        case .wicket, .onHatTrick, .hatTrick: true
        default: false
        }
    }

    private func key(_ kind: EventKind, _ once: String) -> String { "\(kind.rawValue):S\(innings.number):\(once)" }
}
