import Cricket

/// A batter's figures, counted from the balls so far.
struct BatterTally {
    var runs = 0
    /// Balls faced: every ball but wides.
    var faced = 0
    /// Sixes off consecutive balls faced.
    var sixes = 0
    /// The id of the ball of the first of `sixes`.
    var firstSix: Int64 = 0

    var isOnFire: Bool { faced >= 15 && runs * 100 >= faced * 200 }

    /// Counts a ball to this batter.
    mutating func take(_ ball: Ball) {
        runs += ball.runsOffBat
        guard ball.wides == 0 else { return }
        faced += 1
        if ball.isBoundary, ball.runsOffBat == 6 {
            if sixes == 0 { firstSix = ball.id }
            sixes += 1
        } else {
            sixes = 0
        }
    }
}
