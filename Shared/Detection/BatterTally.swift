/// What the balls so far say of a batter.
struct BatterTally {
    var runs = 0
    /// Every ball but wides.
    var faced = 0
    /// Sixes off consecutive balls faced.
    var sixes = 0
    /// The ball of the first of them.
    var firstSix: Int64 = 0

    var isOnFire: Bool { faced >= 15 && runs * 100 >= faced * 200 }
}
