import Cricket

/// Turns one innings of the provider into cricket's terms.
struct InningsNormaliser {
    var number: Int
    var total: SlimRuns?
    var batting: [SlimBatting]
    var bowling: [SlimBowling]
    var balls: [SlimBall]
    var scores: [SlimScore]
    /// The meaning of each of `scores`, at the same position.
    var meanings: [ScoreMeaning]
    /// Six, or five in The Hundred.
    var ballsPerOver: Int

    /// The provider's ids of "not out" and "retired hurt". A frame that names an id otherwise is believed.
    private static let notOutID: Int64 = 84
    private static let retiredHurtID: Int64 = 85
    /// The dismissals behind the provider's ids that were recorded or counted in its answers. The catalogue has over a
    /// hundred ids, and the rest is hearsay.
    private static let knownWays: [Int64: HowOut] = [
        54: .caught, 55: .caught, 56: .stumped, 63: .runOut, 64: .runOut, 79: .bowled, 83: .lbw, 87: .hitWicket,
        138: .retiredOut,
    ]

    /// A side has eleven, with substitutes some sixteen; more rows are no scorecard.
    static let battersMax = 40

    func innings() -> Innings {
        let deliveries = counted(balls.map(ball))
        let runs = total?.runs ?? deliveries.reduce(0) { $0 + $1.totalRuns }
        let wickets = total?.wickets ?? deliveries.count { $0.outID != nil }
        return Innings(
            number: number, battingTeamID: total?.teamID ?? balls.first?.teamID ?? 0, runs: runs, wickets: wickets,
            overs: overs(total?.overs, of: deliveries) ?? oversOfBalls(deliveries),
            batting: battingLines(deliveries, wickets: wickets),
            bowling: bowling.map { bowlingLine($0, deliveries) }, balls: deliveries, updatedAt: total?.updatedAt,
            hasTotal: total != nil)
    }

    // MARK: - The Hundred

    private var isHundred: Bool { ballsPerOver != Overs.usualBalls }

    /// The deliveries in sets of five in The Hundred. The provider's labels may be of overs of six, or of the ten balls
    /// that a bowler may bowl in a row, so the balls are counted instead.
    private func counted(_ deliveries: [Ball]) -> [Ball] {
        guard isHundred else { return deliveries }
        var legal = 0
        return deliveries.map { ball in
            var ball = ball
            ball.ballsPerOver = ballsPerOver
            (ball.over, ball.number) = (legal / ballsPerOver, legal % ballsPerOver + 1)
            if ball.isLegal { legal += 1 }
            return ball
        }
    }

    /// The overs of a row of the provider; in The Hundred in sets of five, and no fewer than the balls that are here.
    private func overs(_ row: Overs?, of deliveries: [Ball]) -> Overs? {
        guard isHundred, let row else { return row }
        let balls = max(row.completed * ballsPerOver + min(row.balls, ballsPerOver), deliveries.count(where: \.isLegal))
        return Overs(legalBalls: balls, ballsPerOver: ballsPerOver)
    }

    /// A fall of wicket as the balls are labelled: "18.6", in The Hundred "94".
    private func fall(_ tenths: Int) -> String {
        isHundred ? Overs(tenths: tenths, ballsPerOver: ballsPerOver).description : Self.label(tenths)
    }

    private func ball(_ row: SlimBall) -> Ball {
        let score = meanings[row.score]
        let outID = score.isDismissal ? batterOut(on: row, score) : nil
        let how = outID.map { way(of: $0, row: row, score: score) }
        let fielder: Int64? =
            switch how {
            case .caughtAndBowled: row.bowlerID
            case .runOut, .obstructingTheField: row.runOutByID ?? row.catcherID
            default: row.catcherID
            }
        let other = [row.batterOneID, row.batterTwoID].compactMap { $0 }.first { $0 != row.strikerID }
        return Ball(
            id: row.id, over: row.over, number: row.number, strikerID: row.strikerID, nonStrikerID: other,
            bowlerID: row.bowlerID, runsOffBat: score.runsOffBat, isBoundary: score.isBoundary, wides: score.wides,
            noBalls: score.noBalls, byes: score.byes, legByes: score.legByes, outID: outID, howOut: how,
            fielderID: how == nil ? nil : fielder, updatedAt: row.updatedAt)
    }

    /// The batter who is out: the one the row names; otherwise the one of the pair who is out in the batting rows;
    /// otherwise the striker.
    private func batterOut(on row: SlimBall, _ score: ScoreMeaning) -> Int64 {
        if let outID = row.outID { return outID }
        if score.howOut?.isBowlers == true { return row.strikerID }
        let label = row.over * 10 + row.number
        let pair = [row.strikerID, row.batterOneID, row.batterTwoID].compactMap { $0 }
        let fallen = batting.first { pair.contains($0.playerID) && $0.fallTenths == label }
        return fallen?.playerID ?? row.strikerID
    }

    private func way(of batter: Int64, row: SlimBall, score: ScoreMeaning) -> HowOut {
        if let named = score.howOut {
            return named == .caught && row.catcherID == row.bowlerID ? .caughtAndBowled : named
        }
        if row.runOutByID != nil { return .runOut }
        guard let line = batting.first(where: { $0.playerID == batter }) else { return .unknown }
        return way(line) ?? .unknown
    }

    /// The dismissal by the batting row; nil when the row does not say.
    private func way(_ row: SlimBatting) -> HowOut? {
        let how = row.wicketName.flatMap(HowOut.init(providerName:)) ?? row.wicketID.flatMap(howOutOfID)
        if how == .caught, row.catcherID != nil, row.catcherID == row.bowlerID { return .caughtAndBowled }
        if let how { return how }
        if row.runOutByID != nil { return .runOut }
        guard let bowler = row.bowlerID else { return nil }
        // The bowler's wicket has an unknown name: with a fielder it is a catch far more often than a stumping.
        guard let catcher = row.catcherID else { return .unknown }
        return catcher == bowler ? .caughtAndBowled : .caught
    }

    /// The dismissal behind an id: as the frame's own balls name it, and only where none has it by the known ids.
    private func howOutOfID(_ id: Int64) -> HowOut? {
        let named = zip(scores, meanings).filter { $0.0.id == id }
        return named.isEmpty ? Self.knownWays[id] : named.lazy.compactMap(\.1.howOut).first
    }

    private func battingLines(_ deliveries: [Ball], wickets: Int) -> [BattingLine] {
        var dismissals: [Int64: Dismissal] = [:]
        for ball in deliveries {
            guard let batter = ball.outID, let how = ball.howOut else { continue }
            dismissals[batter] = Dismissal(
                how: how, bowlerID: how.isBowlers || how == .unknown ? ball.bowlerID : nil, fielderID: ball.fielderID)
        }
        // A row is the later word on its batter: a batter whose row says "not out" is not out, even if a ball still
        // says otherwise.
        var doubtful: [SlimBatting] = []
        var lines = batting.map { row in
            var dismissal: Dismissal?
            let absence = dismissals[row.playerID] == nil ? absence(row) : nil
            if row.wicketID != Self.notOutID, absence == nil {
                let how = way(row)
                if let seen = dismissals[row.playerID] {
                    dismissal = seen
                } else if let how {
                    dismissal = Dismissal(how: how, bowlerID: row.bowlerID, fielderID: fielder(row, how))
                } else if row.wicketID != nil || row.fallTenths != nil {
                    doubtful.append(row)
                }
            }
            return BattingLine(
                playerID: row.playerID, runs: row.runs, ballsFaced: row.balls, fours: row.fours, sixes: row.sixes,
                dismissal: dismissal, fellOn: dismissal == nil ? nil : row.fallTenths.map(fall),
                fellAt: dismissal == nil ? nil : row.fallScore, absence: absence)
        }
        settle(doubtful, in: &lines, wickets: wickets, isComplete: isComplete(deliveries))
        return lines
    }

    /// Settles rows that are neither "not out", off the field nor out in a known way: out without bowler and fielder.
    /// As many of them are out as the total has more wickets, those with a fall of wicket first.
    private func settle(_ doubtful: [SlimBatting], in lines: inout [BattingLine], wickets: Int, isComplete: Bool) {
        var missing = wickets - lines.count { $0.dismissal != nil }
        let order = doubtful.filter { $0.fallTenths != nil } + doubtful.filter { $0.fallTenths == nil }
        for row in order where missing > 0 {
            guard let place = lines.firstIndex(where: { $0.playerID == row.playerID }) else { continue }
            // A batter who faced no ball, and has no ball with the wicket although the ball before is here, was timed
            // out.
            let isHere = row.fallTenths.map(hasBall) ?? isComplete
            let isTimedOut = isHere && row.balls == 0 && row.runs == 0 && !isInAPair(row.playerID)
            lines[place].dismissal = Dismissal(how: isTimedOut ? .timedOut : .unknown, bowlerID: nil, fielderID: nil)
            lines[place].fellOn = row.fallTenths.map(fall)
            lines[place].fellAt = row.fallScore
            missing -= 1
        }
    }

    /// The label of a ball: 186 is "18.6". "19.0" could only mean the last ball of the over before.
    private static func label(_ tenths: Int) -> String {
        tenths % 10 == 0 && tenths > 0 ? "\(tenths / 10 - 1).6" : "\(tenths / 10).\(tenths % 10)"
    }

    private func hasBall(_ tenths: Int) -> Bool { balls.contains { Self.label(tenths) == "\($0.over).\($0.number)" } }

    private func isInAPair(_ player: Int64) -> Bool { balls.contains { isInPair(player, $0) } }

    private func isInPair(_ player: Int64, _ ball: SlimBall) -> Bool {
        ball.strikerID == player || ball.batterOneID == player || ball.batterTwoID == player
    }

    /// Why the batter is off the field by the row, unless a later ball has them at the crease again.
    private func absence(_ row: SlimBatting) -> Absence? {
        let names = [row.wicketName].compactMap { $0 } + scores.filter { $0.id == row.wicketID }.map(\.name)
        var absence = names.lazy.compactMap(Absence.init(providerName:)).first
        if names.isEmpty, row.wicketID == Self.retiredHurtID { absence = .retired }
        guard let absence, let last = balls.lastIndex(where: { isInPair(row.playerID, $0) }) else { return absence }
        if absence == .absent { return nil }
        let left = balls.lastIndex { meanings[$0.score].absence == .retired && isInPair(row.playerID, $0) }
        return left.map { last > $0 } == true ? nil : absence
    }

    private func isComplete(_ deliveries: [Ball]) -> Bool {
        guard let overs = overs(total?.overs, of: deliveries) else { return true }
        return oversOfBalls(deliveries) >= overs
    }

    private func fielder(_ row: SlimBatting, _ how: HowOut) -> Int64? {
        switch how {
        case .caughtAndBowled: row.bowlerID
        case .runOut, .obstructingTheField: row.runOutByID ?? row.catcherID
        default: row.catcherID
        }
    }

    private func bowlingLine(_ row: SlimBowling, _ deliveries: [Ball]) -> BowlingLine {
        let own = isHundred ? deliveries.filter { $0.bowlerID == row.playerID } : []
        return BowlingLine(
            playerID: row.playerID, overs: overs(row.overs, of: own) ?? row.overs, maidens: row.maidens, runs: row.runs,
            wickets: row.wickets,
            wides: row.wides, noBalls: row.noBalls)
    }

    private func oversOfBalls(_ deliveries: [Ball]) -> Overs {
        if isHundred {
            return Overs(legalBalls: deliveries.count(where: \.isLegal), ballsPerOver: ballsPerOver)
        }
        guard let over = deliveries.last?.over else { return Overs(completed: 0, balls: 0) }
        let legal = deliveries.reversed().prefix { $0.over == over }.count(where: \.isLegal)
        return legal >= 6 ? Overs(completed: over + 1, balls: 0) : Overs(completed: over, balls: legal)
    }
}
