import Cricket

extension HowOut {
    /// Reads the dismissal from the name of a score; nil when the name has no known dismissal.
    init?(providerName: String) {
        let name = providerName.lowercased()
        func says(_ words: String...) -> Bool { words.contains { name.contains($0) } }
        if says("not out", "absent") || (says("retired") && !says("out")) {
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

extension Absence {
    /// Reads from the name of a score that a batter is off the field and not out; nil for any other name.
    init?(providerName: String) {
        let name = providerName.lowercased()
        if name.contains("absent") {
            self = .absent
        } else if name.contains("retired"), HowOut(providerName: name) == nil {
            self = .retired
        } else {
            return nil
        }
    }
}
