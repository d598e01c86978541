/// The `score` of a ball: the provider's name for what happened on a delivery.
struct TapeScore: Sendable, Equatable {
    var name: String
    var runs = 0
    var four = false
    var six = false
    var bye = 0
    var legBye = 0
    var noBall = 0
    var noBallRuns = 0
    /// The fields `is_wicket` and `out`, which agree wherever they were seen.
    var isOut = false
    /// The field `ball`: false for a wide alone; a no-ball has true.
    var isBall = true

    var id: Int64 { TapeIDs.score(name) }

    init(_ delivery: CricsheetDelivery) {
        let wicket = delivery.wickets?.first
        self.init(
            bat: delivery.runs.batter, isBoundary: delivery.isBoundary, wides: delivery.wides,
            noBalls: delivery.noBalls, byes: delivery.byes, legByes: delivery.legByes,
            dismissal: wicket.map { Self.dismissal($0.kind) }, isOut: wicket?.isOut ?? false)
    }

    /// - Parameters:
    ///   - isBoundary: whether a four or six off the bat was not run.
    ///   - dismissal: the dismissal in the provider's words.
    init(
        bat: Int, isBoundary: Bool = false, wides: Int = 0, noBalls: Int = 0, byes: Int = 0, legByes: Int = 0,
        dismissal: String? = nil, isOut: Bool = false
    ) {
        bye = byes
        legBye = legByes
        self.isOut = isOut
        // The parts name what the batters did on the ball, in the words of the catalogue; there are none for nothing.
        var parts: [String] = []
        if wides > 0 {
            runs = wides
            isBall = false
            parts.append(Self.count(wides, "Wide"))
        } else {
            runs = bat + noBalls
            four = bat == 4 && isBoundary
            six = bat == 6 && isBoundary
            if noBalls > 0 {
                noBall = 1
                noBallRuns = noBalls
                parts.append("1 No Ball")
                if bat > 0 { parts.append(Self.count(bat, "Run")) }
            } else if bat > 0 {
                parts.append(four ? "FOUR" : six ? "SIX" : Self.count(bat, "Run"))
            }
            if byes > 0 { parts.append(Self.count(byes, "Bye")) }
            if legByes > 0 { parts.append(Self.count(legByes, "Leg Bye")) }
        }
        // "FOUR" stays for a boundary; runs completed before a dismissal are counted.
        if let dismissal { parts.append(dismissal) }
        name = parts.isEmpty ? "No Run" : parts.joined(separator: " + ")
    }

    /// The provider's words for a dismissal. Those after the first six are guesses, because the provider's are not
    /// known.
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
