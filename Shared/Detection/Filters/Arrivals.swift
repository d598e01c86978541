import Cricket

/// The places in an innings where batters came in, and where wickets fell that no ball shows. A place is the index of
/// the ball before; -1 is before the first ball.
struct Arrivals {
    /// Batters who came in after a wicket or a retirement, by the ball before.
    private(set) var newBatters: [Int: [Int64]] = [:]
    /// Batters whose wicket only the batting rows show, by the ball before.
    private(set) var wickets: [Int: [BattingLine]] = [:]

    init(_ innings: Innings) {
        var first: [Int64: Int] = [:]
        var last: [Int64: Int] = [:]
        var order: [Int64] = []
        for (place, ball) in innings.balls.enumerated() {
            for player in [ball.strikerID, ball.nonStrikerID].compactMap({ $0 }) {
                if first[player] == nil {
                    first[player] = place
                    order.append(player)
                }
                last[player] = place
            }
        }
        // The batting rows know the order; the balls alone know the batters who have faced or stood by.
        order = innings.batting.map(\.playerID) + order.filter { id in !innings.batting.contains { $0.playerID == id } }
        let end = innings.balls.count - 1
        let outOnBall = Set(innings.balls.compactMap(\.outID))

        /// The ball before the next batter in the order who has been seen; the last ball when there is none.
        func beforeNext(_ player: Int64) -> Int {
            guard let place = order.firstIndex(of: player) else { return end }
            return order[(place + 1)...].compactMap { first[$0] }.first.map { $0 - 1 } ?? end
        }

        for player in order.dropFirst(2) {
            let line = innings.batting.first { $0.playerID == player }
            // A batter who was timed out never came in.
            if line?.dismissal?.how == .timedOut, first[player] == nil { continue }
            newBatters[first[player].map { $0 - 1 } ?? beforeNext(player), default: []].append(player)
        }
        for line in innings.batting where line.dismissal != nil && !outOnBall.contains(line.playerID) {
            // The row names the ball by its label; several balls have that label when a wide came before.
            let named = line.fellOn.flatMap { label in innings.balls.lastIndex { $0.label == label } }
            wickets[named ?? last[line.playerID] ?? beforeNext(line.playerID), default: []].append(line)
        }
    }
}
