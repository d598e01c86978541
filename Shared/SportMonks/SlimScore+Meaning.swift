import Sightscreen

/// What a score means in cricket's terms. The flags decide; the name helps where there is no flag.
extension SlimScore {
    private var words: String { name.lowercased() }

    var isNoBall: Bool { noBall > 0 || noBallRuns > 0 || words.contains("no ball") || words.contains("noball") }

    /// There is no flag for a wide: `ball` is false for it alone.
    var isWide: Bool { !isNoBall && (!isBall || words.contains("wide")) }

    var wideRuns: Int { isWide ? max(runs, 1) : 0 }

    var noBallPenalty: Int { isNoBall ? max(noBallRuns, 1) : 0 }

    /// Runs cannot come off the bat and as byes on the same ball; the catalogue has entries that count both.
    var runsOffBat: Int {
        if isWide { return 0 }
        if isNoBall { return max(runs - noBallPenalty, 0) }
        return bye + legBye > 0 ? 0 : runs
    }

    /// Four or six off the bat over the boundary. All-run fours and overthrows have neither flag.
    var isBoundary: Bool {
        switch runsOffBat {
        case 4: four || words.contains("four")
        case 6: six || words.contains("six")
        default: false
        }
    }

    /// Somebody is out. Retired hurt (or not out) is not, whatever the flag says; retired out is.
    var isDismissal: Bool {
        guard isOut else { return false }
        return !(words.contains("retired") && !words.contains("out")) && !words.contains("not out")
    }

    /// How a batter gets out on a ball with this score.
    var howOut: HowOut? { isDismissal ? HowOut(providerName: name) : nil }
}

extension HowOut {
    /// From the name of a score; nil when no dismissal is named that we know.
    init?(providerName: String) {
        let name = providerName.lowercased()
        func says(_ words: String...) -> Bool { words.contains { name.contains($0) } }
        if says("not out") || (says("retired") && !says("out")) {
            return nil
        } else if says("run out", "runout") {
            self = .runOut
        } else if says("catch & bowl", "caught & bowl", "catch and bowl", "caught and bowl") {
            self = .caughtAndBowled
        } else if says("catch", "caught") {
            self = .caught
        } else if says("lbw", "leg before") {
            self = .lbw
        } else if says("stump") {
            self = .stumped
        } else if says("hit wicket") {
            self = .hitWicket
        } else if says("twice") {
            self = .hitTwice
        } else if says("handled") {
            self = .handledTheBall
        } else if says("obstruct") {
            self = .obstructingTheField
        } else if says("timed") {
            self = .timedOut
        } else if says("retired") {
            self = .retiredOut
        } else if says("bowl") {
            self = .bowled
        } else {
            return nil
        }
    }
}
