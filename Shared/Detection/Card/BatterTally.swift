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
}
