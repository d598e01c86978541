/// Turns the overs of a Cricsheet match into deliveries in the provider's terms.
struct DeliveryReader {
    private let match: CricsheetMatch
    private let ids: TapeIDs
    private let ballsPerOver: Int
    private var deliveries: [TapeDelivery] = []
    private var slots: (Int64, Int64)?

    init(_ match: CricsheetMatch, ids: TapeIDs) {
        self.match = match
        self.ids = ids
        ballsPerOver = match.info.balls_per_over ?? 6
    }

    mutating func read() -> [TapeDelivery] {
        for (index, innings) in match.innings.enumerated() {
            slots = nil
            let overs = innings.overs ?? []
            for (position, over) in overs.enumerated() {
                let legal = over.deliveries.count(where: \.isLegal)
                let isComplete =
                    position < overs.count - 1 || legal >= ballsPerOver
                    || innings.miscounted_overs?[String(over.over)]?.balls == legal
                read(over, innings: index, isComplete: isComplete)
            }
        }
        return deliveries
    }

    private mutating func read(_ over: CricsheetInnings.Over, innings: Int, isComplete: Bool) {
        var legal = 0
        for (position, delivery) in over.deliveries.enumerated() {
            let number = legal + 1
            if delivery.isLegal { legal += 1 }
            let endsOver = isComplete && position == over.deliveries.count - 1
            let isFull = endsOver || legal >= ballsPerOver
            deliveries.append(
                row(
                    delivery, innings: innings, over: over.over, number: number, endsOver: endsOver,
                    oversAfter: isFull ? (over.over + 1, 0) : (over.over, legal)))
        }
    }

    private mutating func row(
        _ delivery: CricsheetDelivery, innings: Int, over: Int, number: Int, endsOver: Bool,
        oversAfter: (completed: Int, balls: Int)
    ) -> TapeDelivery {
        let striker = ids.person(delivery.batter)
        let nonStriker = ids.person(delivery.non_striker)
        let pair = place(striker, nonStriker)
        slots = pair
        let wickets = delivery.wickets ?? []
        let first = wickets.first
        let fielder = first?.fielders?.first?.name.map(ids.person)
        var catcher: Int64?
        var runOutBy: Int64?
        switch first?.kind {
        case "caught", "stumped": catcher = fielder
        case "caught and bowled": catcher = ids.person(delivery.bowler)
        case "run out": runOutBy = fielder
        default: break
        }
        return TapeDelivery(
            running: deliveries.count + 1, innings: innings, over: over, number: number, striker: striker,
            nonStriker: nonStriker, bowler: ids.person(delivery.bowler), slots: pair, score: TapeScore(delivery),
            batRuns: delivery.runs.batter, wides: delivery.wides, noBalls: delivery.noBalls, byes: delivery.byes,
            legByes: delivery.legByes, penalty: delivery.penalty, isLegal: delivery.isLegal,
            wicket: first.map { wicket($0, how: TapeScore(delivery).name) },
            secondWicket: wickets.dropFirst().first.map { wicket($0, how: TapeScore.dismissal($0.kind)) },
            catcher: catcher, runOutBy: runOutBy, endsOver: endsOver, oversAfter: oversAfter)
    }

    private func wicket(_ wicket: CricsheetDelivery.Wicket, how: String) -> TapeDelivery.Wicket {
        TapeDelivery.Wicket(
            player: ids.person(wicket.player_out), how: how, isOut: wicket.isOut, isBowlers: wicket.isBowlers)
    }

    /// The slots of the two batters. A batter keeps a slot, and a new batter takes the free one.
    private func place(_ striker: Int64, _ nonStriker: Int64) -> (Int64, Int64) {
        guard let slots else { return (striker, nonStriker) }
        let pair = [striker, nonStriker]
        switch (pair.contains(slots.0), pair.contains(slots.1)) {
        case (true, _): return (slots.0, slots.0 == striker ? nonStriker : striker)
        case (false, true): return (slots.1 == striker ? nonStriker : striker, slots.1)
        case (false, false): return (striker, nonStriker)
        }
    }
}
