import Sightscreen

/// One delivery as `recentBalls` shows it.
enum BallSymbol {
    /// One of `• 1 2 3 4 5 6 W wd nb b lb`.
    static func of(_ ball: Ball) -> String {
        if ball.outID != nil { return "W" }
        if ball.wides > 0 { return "wd" }
        if ball.noBalls > 0 { return "nb" }
        if ball.byes > 0 { return "b" }
        if ball.legByes > 0 { return "lb" }
        return ball.runsOffBat > 0 ? String(min(6, ball.runsOffBat)) : "•"
    }
}
