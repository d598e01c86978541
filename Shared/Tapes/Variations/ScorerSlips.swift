/// Makes wrong deliveries of right ones. Each is a consistent entry of a scorecard.
struct ScorerSlips: Sendable {
    private let ballsPerOver: Int
    /// The bowlers and the fielding side of each innings, by its index.
    private let bowlers: [[Int64]]
    private let fielders: [[Int64]]

    init(_ match: CricsheetMatch, deliveries: [TapeDelivery], people: TapePeople) {
        ballsPerOver = match.info.balls_per_over ?? 6
        bowlers = match.innings.indices.map { innings in
            deliveries.reduce(into: []) { bowlers, delivery in
                if delivery.innings == innings, !bowlers.contains(delivery.bowler) { bowlers.append(delivery.bowler) }
            }
        }
        fielders = match.innings.map { innings in
            people.lineup.filter { $0.teamID != TapeIDs.team(innings.team) && !$0.isReplacement }.map(\.id)
        }
    }

    /// The slips that can happen on a delivery. Rare deliveries (a second wicket, penalty runs, a batter who retires)
    /// are posted right.
    func possible(on delivery: TapeDelivery) -> [ScorerSlip] {
        guard delivery.secondWicket == nil, delivery.penalty == 0 else { return [] }
        let others = bowlers[delivery.innings].count > 1
        guard let wicket = delivery.wicket else {
            return hits(delivery) + (others ? [.wrongBowler] : [])
        }
        guard wicket.isOut else { return [] }
        var slips: [ScorerSlip] = [.wicketMissed]
        if wicket.how.hasSuffix("Run Out") { slips.append(.wrongBatterOut) }
        return slips
    }

    /// The slips of runs that can happen on a delivery.
    private func hits(_ delivery: TapeDelivery) -> [ScorerSlip] {
        guard delivery.noBalls == 0, delivery.legByes == 0 else { return [] }
        if delivery.wides > 0 { return delivery.wides == 5 && !delivery.endsOver ? [.fourForFiveWides] : [] }
        if delivery.byes > 0 { return [.runsForByes] }
        if delivery.score.four { return [.fiveWidesForFour, .sixForFour] }
        if delivery.score.six { return [.fourForSix] }
        switch delivery.batRuns {
        case 0: return [.runForDot, .caught, .legBefore]
        case 1...3: return [.dotForRun, .byesForRuns]
        default: return []
        }
    }

    /// The delivery as it was first posted. The slip has to be possible on it.
    func posted(_ delivery: TapeDelivery, _ slip: ScorerSlip, _ random: inout SplitMix64) -> TapeDelivery {
        switch slip {
        case .fourForFiveWides: return retyped(delivery, bat: 4, isBoundary: true)
        case .fiveWidesForFour: return retyped(delivery, wides: 5)
        case .sixForFour: return retyped(delivery, bat: 6, isBoundary: true)
        case .fourForSix: return retyped(delivery, bat: 4, isBoundary: true)
        case .runForDot: return retyped(delivery, bat: 1)
        case .dotForRun: return retyped(delivery)
        case .caught: return out(delivery, "caught", &random)
        case .legBefore: return out(delivery, "lbw", &random)
        case .wicketMissed:
            return retyped(
                delivery, bat: delivery.batRuns, isBoundary: delivery.score.four || delivery.score.six,
                wides: delivery.wides, noBalls: delivery.noBalls, byes: delivery.byes, legByes: delivery.legByes)
        case .wrongBowler:
            var wrong = delivery
            wrong.bowler =
                random.pick(bowlers[delivery.innings].filter { $0 != delivery.bowler }) ?? delivery.bowler
            return wrong
        case .wrongBatterOut:
            var wrong = delivery
            let isStriker = delivery.wicket?.player == delivery.striker
            wrong.wicket?.player = isStriker ? delivery.nonStriker : delivery.striker
            return wrong
        case .byesForRuns: return retyped(delivery, byes: delivery.batRuns)
        case .runsForByes: return retyped(delivery, bat: delivery.byes)
        }
    }

    /// A ball that was never bowled, with the bowler and the batters of the ball after it.
    func phantom(before delivery: TapeDelivery, _ random: inout SplitMix64) -> TapeDelivery {
        switch random.int(in: 0...9) {
        case 0: retyped(delivery)
        case 1, 2: retyped(delivery, bat: random.int(in: 1...3))
        case 3: retyped(delivery, bat: 4, isBoundary: true)
        case 4: retyped(delivery, bat: 6, isBoundary: true)
        case 5: retyped(delivery, wides: 1)
        case 6: retyped(delivery, byes: 1)
        case 7: out(delivery, "bowled", &random)
        case 8: out(delivery, "lbw", &random)
        default: out(delivery, "caught", &random)
        }
    }

    /// The delivery with the striker out and nothing else.
    private func out(_ delivery: TapeDelivery, _ kind: String, _ random: inout SplitMix64) -> TapeDelivery {
        let how = TapeScore.dismissal(kind)
        var typed = retyped(delivery)
        typed.score = TapeScore(bat: 0, dismissal: how, isOut: true)
        typed.wicket = .init(player: delivery.striker, how: how, isOut: true, isBowlers: true)
        if kind == "caught" { typed.catcher = random.pick(fielders[delivery.innings]) }
        return typed
    }

    /// A delivery at the same place without a wicket.
    private func retyped(
        _ delivery: TapeDelivery, bat: Int = 0, isBoundary: Bool = false, wides: Int = 0, noBalls: Int = 0,
        byes: Int = 0, legByes: Int = 0
    ) -> TapeDelivery {
        var typed = delivery
        typed.score = TapeScore(
            bat: bat, isBoundary: isBoundary, wides: wides, noBalls: noBalls, byes: byes, legByes: legByes)
        typed.batRuns = bat
        typed.wides = wides
        typed.noBalls = noBalls
        typed.byes = byes
        typed.legByes = legByes
        typed.penalty = 0
        typed.wicket = nil
        typed.secondWicket = nil
        typed.catcher = nil
        typed.runOutBy = nil
        typed.isLegal = wides == 0 && noBalls == 0
        guard typed.isLegal != delivery.isLegal else { return typed }
        let balls = typed.isLegal ? delivery.number : delivery.number - 1
        typed.endsOver = typed.isLegal && balls >= ballsPerOver
        typed.oversAfter = balls >= ballsPerOver ? (delivery.over + 1, 0) : (delivery.over, balls)
        return typed
    }
}
