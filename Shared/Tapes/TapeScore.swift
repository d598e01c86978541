/// What the provider calls that which happened on a delivery: the `score` of a ball.
struct TapeScore: Sendable, Equatable {
    var name: String
    var runs = 0
    var four = false
    var six = false
    var bye = 0
    var legBye = 0
    var noBall = 0
    var noBallRuns = 0
    /// `is_wicket` and `out`, which agree wherever they were seen.
    var isOut = false
    /// `ball`: false for a wide alone; a no-ball says true.
    var isBall = true

    var id: Int64 { TapeIDs.score(name) }

    init(_ delivery: CricsheetDelivery) {
        let bat = delivery.runs.batter
        bye = delivery.byes
        legBye = delivery.legByes
        // What the batters did on the ball, in the words of the catalogue; empty for nothing.
        var parts: [String] = []
        if delivery.wides > 0 {
            runs = delivery.wides
            isBall = false
            parts.append(Self.count(delivery.wides, "Wide"))
        } else {
            runs = bat + delivery.noBalls
            four = bat == 4 && delivery.isBoundary
            six = bat == 6 && delivery.isBoundary
            if delivery.noBalls > 0 {
                noBall = 1
                noBallRuns = delivery.noBalls
                parts.append("1 No Ball")
                if bat > 0 { parts.append(Self.count(bat, "Run")) }
            } else if bat > 0 {
                parts.append(four ? "FOUR" : six ? "SIX" : Self.count(bat, "Run"))
            }
            if bye > 0 { parts.append(Self.count(bye, "Bye")) }
            if legBye > 0 { parts.append(Self.count(legBye, "Leg Bye")) }
        }
        if let wicket = delivery.wickets?.first {
            isOut = wicket.isOut
            // "FOUR" stays for a boundary; runs that were run before a dismissal are counted.
            parts.append(Self.dismissal(wicket.kind))
        }
        name = parts.isEmpty ? "No Run" : parts.joined(separator: " + ")
    }

    /// The provider's words for a dismissal; those beyond the first six are our spelling, theirs is not known.
    static func dismissal(_ kind: String) -> String {
        switch kind {
        case "caught", "caught and bowled": "Catch Out"
        case "bowled": "Clean Bowled"
        case "lbw": "LBW OUT"
        case "stumped": "Stump Out"
        case "hit wicket": "Hit Wicket"
        case "run out": "Run Out"
        case "obstructing the field": "Obstructing Out"
        case "timed out": "Timed Out"
        case "retired out": "Retired Out"
        case "retired hurt", "retired not out": "Retired Hurt"
        case "handled the ball": "Handled Out"
        case "hit the ball twice": "Hit Twice Out"
        default: kind.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
