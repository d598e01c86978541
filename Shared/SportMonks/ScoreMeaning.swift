import Cricket

/// The meaning of a score in cricket's terms. The flags decide; the name helps where there is no flag. It is worked out
/// once for each score of a frame, not for each ball.
struct ScoreMeaning {
    let wides: Int
    /// The penalty of a no-ball, usually 1.
    let noBalls: Int
    let runsOffBat: Int
    /// Whether a four or six off the bat crossed the boundary. All-run fours and overthrows have neither flag.
    let isBoundary: Bool
    let byes: Int
    let legByes: Int
    /// Whether a batter is out. Retired hurt (or not out) is no dismissal, whatever the flag says; retired out is.
    let isDismissal: Bool
    /// The dismissal; nil when the name does not say.
    let howOut: HowOut?
    /// Whether a batter leaves the field without being out.
    let absence: Absence?

    init(_ score: SlimScore) {
        let words = score.name.lowercased()
        let isNoBall =
            score.noBall > 0 || score.noBallRuns > 0 || words.contains("no ball") || words.contains("noball")
        // There is no flag for a wide: `ball` is false for it alone.
        let isWide = !isNoBall && (!score.isBall || words.contains("wide"))
        wides = isWide ? max(score.runs, 1) : 0
        noBalls = isNoBall ? max(score.noBallRuns, 1) : 0
        byes = score.bye
        legByes = score.legBye
        if isWide {
            runsOffBat = 0
        } else if isNoBall {
            runsOffBat = max(score.runs - noBalls, 0)
        } else {
            // Runs cannot come off the bat and as byes on the same ball; the catalogue has entries that count both.
            runsOffBat = byes + legByes > 0 ? 0 : score.runs
        }
        isBoundary =
            switch runsOffBat {
            case 4: score.four || words.contains("four")
            case 6: score.six || words.contains("six")
            default: false
            }
        absence = Absence(providerName: words)
        isDismissal = score.isOut && absence == nil && !words.contains("not out")
        howOut = isDismissal ? HowOut(providerName: score.name) : nil
    }
}
