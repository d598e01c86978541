import Cricket
import SightscreenModels

/// One delivery as `recentBalls` shows it.
enum BallSymbol {
    /// The symbol is one of `• 1 … 9 W wd nb b lb` (seven and eight come of overthrows); extras of more than one run carry their runs: `2wd`, `5nb`,
    /// `4lb`.
    static func of(_ ball: Ball) -> String {
        if ball.outID != nil { return "W" }
        if ball.wides > 0 { return extra("wd", ball) }
        if ball.noBalls > 0 { return extra("nb", ball) }
        if ball.byes > 0 { return extra("b", ball) }
        if ball.legByes > 0 { return extra("lb", ball) }
        return ball.runsOffBat > 0 ? String(min(9, ball.runsOffBat)) : "•"
    }

    private static func extra(_ name: String, _ ball: Ball) -> String {
        ball.totalRuns > 1 ? "\(ball.totalRuns)\(name)" : name
    }

    /// The newest balls of an innings, newest last, with a mark where an over ends. There are at most `count` entries,
    /// marks included, so that an app that does not know the mark has room for them.
    static func recent(_ count: Int, of innings: Innings) -> [String] {
        let balls = innings.balls.suffix(count)
        var symbols: [String] = []
        for (ball, next) in zip(balls, balls.dropFirst().map(Optional.init) + [nil]) {
            symbols.append(of(ball))
            if next.map({ $0.over != ball.over }) ?? Crease.endsOver(ball, in: innings) {
                symbols.append(ContentState.overEnd)
            }
        }
        // A mark in front of all balls would end nothing.
        return Array(symbols.suffix(count).drop { $0 == ContentState.overEnd })
    }
}
