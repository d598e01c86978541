/// A way in which a delivery is first posted wrong.
enum ScorerSlip: CaseIterable, Sendable {
    /// Four wides and the wide's own run are taken for a boundary off the bat, or the reverse.
    case fourForFiveWides
    case fiveWidesForFour
    case sixForFour
    case fourForSix
    case runForDot
    case dotForRun
    /// The batter is given out, and not out on review.
    case caught
    case legBefore
    /// The batter is out, but the ball is posted without the wicket.
    case wicketMissed
    /// Another bowler of the innings is credited.
    case wrongBowler
    /// The other batter is out in a run out.
    case wrongBatterOut
    case byesForRuns
    case runsForByes

    /// Whether the next ball can be typed while the slip stands: the same batters stay in, and the over goes on.
    var canWait: Bool {
        switch self {
        case .sixForFour, .fourForSix, .runForDot, .dotForRun, .byesForRuns, .runsForByes: true
        case .fourForFiveWides, .fiveWidesForFour, .caught, .legBefore, .wicketMissed, .wrongBowler, .wrongBatterOut:
            false
        }
    }
}
