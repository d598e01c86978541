/// A way in which a delivery is first posted wrong.
enum ScorerSlip: CaseIterable, Sendable {
    /// Four wides and the wide's own run, taken for a boundary off the bat; and the reverse.
    case fourForFiveWides
    case fiveWidesForFour
    case sixForFour
    case fourForSix
    case runForDot
    case dotForRun
    /// Given out, and not out on review.
    case caught
    case legBefore
    /// Out, but posted without the wicket.
    case wicketMissed
    /// Another bowler of the innings is credited.
    case wrongBowler
    /// The other batter is out in a run out.
    case wrongBatterOut
    case byesForRuns
    case runsForByes

    /// The next ball can be typed while this stands: the same batters stay in, and the over goes on.
    var canWait: Bool {
        switch self {
        case .sixForFour, .fourForSix, .runForDot, .dotForRun, .byesForRuns, .runsForByes: true
        case .fourForFiveWides, .fiveWidesForFour, .caught, .legBefore, .wicketMissed, .wrongBowler, .wrongBatterOut:
            false
        }
    }
}
