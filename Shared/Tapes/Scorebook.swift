/// The figures after some of the steps of a tape: the provider's `runs`, `batting`, `bowling` and `scoreboards` rows.
///
/// A scorebook adds up whatever it is given; `ScorebookCache` knows which steps a frame shows.
struct Scorebook {
    struct InningsFigures {
        var rowID: Int64
        var totalRowID: Int64
        var extraRowID: Int64
        var index: Int
        var runs = 0
        var wickets = 0
        var overs: (completed: Int, balls: Int) = (0, 0)
        var wides = 0
        var noBallRuns = 0
        var noBallBalls = 0
        var byes = 0
        var legByes = 0
        var penalty = 0
        /// When the innings last changed, in seconds of the tape.
        var changedAt: Int

        var extras: Int { wides + noBallRuns + byes + legByes + penalty }
    }

    struct BattingFigures {
        var rowID: Int64
        var innings: Int
        var sort: Int
        var player: Int64
        var runs = 0
        var balls = 0
        var fours = 0
        var sixes = 0
        var wicketID = TapeIDs.notOut
        var catcher: Int64?
        var runOutBy: Int64?
        var bowler: Int64?
        var fallScore = 0
        var fallLabel = "0"

        /// Runs per hundred balls, rounded.
        var rate: Int { balls == 0 ? 0 : (200 * runs + balls) / (2 * balls) }
    }

    struct BowlingFigures {
        var rowID: Int64
        var innings: Int
        var sort: Int
        var player: Int64
        var completedOvers = 0
        /// Legal balls of overs that are not complete, or were shared with another bowler.
        var looseBalls = 0
        var maidens = 0
        var runs = 0
        var wickets = 0
        var wides = 0
        var noBalls = 0

        func overs(ballsPerOver: Int) -> (completed: Int, balls: Int) {
            (completedOvers + looseBalls / ballsPerOver, looseBalls % ballsPerOver)
        }
    }

    private let ballsPerOver: Int
    private(set) var rowIDs: RowIDs
    private(set) var innings: [InningsFigures] = []
    private(set) var batting: [BattingFigures] = []
    private(set) var bowling: [BowlingFigures] = []
    /// When anything last changed, in seconds of the tape.
    private(set) var changedAt = 0
    private var over = OverSoFar()

    /// The over in progress, from which maidens and shared overs are found.
    private struct OverSoFar {
        var bowlers: Set<Int64> = []
        var legalBalls = 0
        var conceded = 0
    }

    init(rowIDs: RowIDs, ballsPerOver: Int) {
        self.rowIDs = rowIDs
        self.ballsPerOver = ballsPerOver
    }

    /// - Parameter offset: when the step was typed, in seconds of the tape.
    mutating func apply(_ step: TapeStep, _ deliveries: [TapeDelivery], at offset: Int) {
        switch step {
        case .innings(let index):
            innings.append(
                InningsFigures(
                    rowID: rowIDs.id(of: .runs(index)), totalRowID: rowIDs.id(of: .total(index)),
                    extraRowID: rowIDs.id(of: .extra(index)), index: index, changedAt: offset))
            over = OverSoFar()
        case .delivery(let position):
            deliver(deliveries[position])
        case .secondWicket(let position):
            let delivery = deliveries[position]
            if let wicket = delivery.secondWicket { fall(wicket, on: delivery, fielders: false) }
        case .penalty(let runs):
            innings[innings.count - 1].runs += runs
            innings[innings.count - 1].penalty += runs
        }
        touch(at: offset)
    }

    /// Adds the delivery that the scorer typed instead of the right one.
    mutating func apply(_ edit: TapeEdit) {
        deliver(edit.delivery)
        touch(at: edit.postedAt)
    }

    /// Marks the innings in progress as changed at `offset`.
    mutating func touch(at offset: Int) {
        changedAt = max(changedAt, offset)
        guard let last = innings.indices.last else { return }
        innings[last].changedAt = max(innings[last].changedAt, offset)
    }

    private mutating func deliver(_ delivery: TapeDelivery) {
        bat(delivery)
        bowl(delivery)
        let last = innings.count - 1
        innings[last].runs += delivery.totalRuns
        innings[last].overs = delivery.oversAfter
        innings[last].wides += delivery.wides
        innings[last].noBallRuns += delivery.noBalls
        innings[last].noBallBalls += delivery.noBalls > 0 ? 1 : 0
        innings[last].byes += delivery.byes
        innings[last].legByes += delivery.legByes
        innings[last].penalty += delivery.penalty
        if let wicket = delivery.wicket { fall(wicket, on: delivery, fielders: true) }
    }

    private mutating func bat(_ delivery: TapeDelivery) {
        let striker = battingRow(delivery.striker)
        _ = battingRow(delivery.nonStriker)
        batting[striker].runs += delivery.batRuns
        if delivery.wides == 0 { batting[striker].balls += 1 }
        if delivery.score.four { batting[striker].fours += 1 }
        if delivery.score.six { batting[striker].sixes += 1 }
    }

    private mutating func bowl(_ delivery: TapeDelivery) {
        let row = bowlingRow(delivery.bowler)
        over.bowlers.insert(delivery.bowler)
        over.conceded += delivery.conceded
        if delivery.isLegal {
            bowling[row].looseBalls += 1
            over.legalBalls += 1
        }
        bowling[row].runs += delivery.conceded
        bowling[row].wides += delivery.wides
        bowling[row].noBalls += delivery.noBalls > 0 ? 1 : 0
        if delivery.wicket?.isBowlers == true { bowling[row].wickets += 1 }
        guard delivery.endsOver else { return }
        // An over that several bowlers share stays loose balls for each of them.
        if over.bowlers.count == 1 {
            bowling[row].looseBalls -= over.legalBalls
            bowling[row].completedOvers += 1
            if over.conceded == 0 { bowling[row].maidens += 1 }
        }
        over = OverSoFar()
    }

    private mutating func fall(_ wicket: TapeDelivery.Wicket, on delivery: TapeDelivery, fielders: Bool) {
        guard wicket.isOut else { return }
        let last = innings.count - 1
        innings[last].wickets += 1
        let row = battingRow(wicket.player)
        batting[row].wicketID = TapeIDs.score(wicket.how)
        batting[row].fallScore = innings[last].runs
        batting[row].fallLabel = delivery.label
        if wicket.isBowlers { batting[row].bowler = delivery.bowler }
        if fielders {
            batting[row].catcher = delivery.catcher
            batting[row].runOutBy = delivery.runOutBy
        }
    }

    /// The row of a batter in the innings in progress, which is made when the batter first comes to the crease.
    private mutating func battingRow(_ player: Int64) -> Int {
        let current = innings[innings.count - 1].index
        if let row = batting.lastIndex(where: { $0.innings == current && $0.player == player }) { return row }
        let sort = batting.count { $0.innings == current } + 1
        let id = rowIDs.id(of: .batting(current, player))
        batting.append(BattingFigures(rowID: id, innings: current, sort: sort, player: player))
        return batting.count - 1
    }

    private mutating func bowlingRow(_ player: Int64) -> Int {
        let current = innings[innings.count - 1].index
        if let row = bowling.lastIndex(where: { $0.innings == current && $0.player == player }) { return row }
        let sort = bowling.count { $0.innings == current } + 1
        let id = rowIDs.id(of: .bowling(current, player))
        bowling.append(BowlingFigures(rowID: id, innings: current, sort: sort, player: player))
        return bowling.count - 1
    }
}
