import FoundationEssentials

/// Counts the events of a match straight from its Cricsheet file, written from the definitions alone: every question is
/// asked of the list of deliveries anew, nothing is carried along. It shares no code with the detector or the tapes.
struct CricsheetOracle: Decodable {
    struct Info: Decodable {
        struct Toss: Decodable {
            var winner: String
            var decision: String
        }
        var match_type: String
        var teams: [String]
        var overs: Int?
        var toss: Toss?

        var isLimited: Bool { !["Test", "MDM"].contains(match_type) }
    }
    struct Wicket: Decodable {
        var player_out: String
        var kind: String
        var isOut: Bool { !["retired hurt", "retired not out"].contains(kind) }
        var isBowlers: Bool {
            ["bowled", "caught", "caught and bowled", "lbw", "stumped", "hit wicket"].contains(kind)
        }
    }
    struct Delivery: Decodable {
        struct Runs: Decodable {
            var batter: Int
            var total: Int
            var non_boundary: Bool?
        }
        var batter: String
        var non_striker: String
        var bowler: String
        var runs: Runs
        var extras: [String: Int]?
        var wickets: [Wicket]?

        func extra(_ name: String) -> Int { extras?[name] ?? 0 }
        var isLegal: Bool { extra("wides") == 0 && extra("noballs") == 0 }
        var conceded: Int { runs.batter + extra("wides") + extra("noballs") }
        var outs: [Wicket] { (wickets ?? []).filter(\.isOut) }
        var bowlersWicket: Wicket? { outs.first(where: \.isBowlers) }
        var isSix: Bool { runs.batter == 6 && runs.non_boundary != true }
    }
    struct Over: Decodable {
        var over: Int
        var deliveries: [Delivery]
    }
    struct Innings: Decodable {
        struct Target: Decodable {
            var runs: Int?
            var overs: Double?
        }
        struct Penalties: Decodable {
            var pre: Int?
            var post: Int?
        }
        var overs: [Over]?
        var target: Target?
        var penalty_runs: Penalties?

        var total: Int {
            let balls = (overs ?? []).flatMap(\.deliveries).reduce(0) { $0 + $1.runs.total }
            return balls + (penalty_runs?.pre ?? 0) + (penalty_runs?.post ?? 0)
        }
    }

    var info: Info
    var innings: [Innings]

    init(file: URL) throws { self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file)) }

    /// One delivery and where it stands.
    struct Ball {
        var over: Int
        var label: String
        var delivery: Delivery
    }

    static func balls(of innings: Innings) -> [Ball] {
        (innings.overs ?? []).flatMap { over in
            over.deliveries.indices.map { place in
                let legalBefore = over.deliveries[..<place].count(where: \.isLegal)
                return Ball(
                    over: over.over, label: "\(over.over).\(legalBefore + 1)", delivery: over.deliveries[place])
            }
        }
    }

    /// Every event as "kind S1 12.3 player value", in no order.
    func events() -> [String] {
        var found = info.toss == nil ? [] : ["toss"]
        if innings.count > 1, info.isLimited, let target = innings[1].target?.runs, target != innings[0].total + 1 {
            found.append("targetRevised S2")
        }
        for (place, innings) in innings.enumerated() {
            if let label = closeFinish(place) { found.append("closeFinish S\(place + 1)\(label)") }
            let balls = Self.balls(of: innings)
            let s = "S\(place + 1)"
            found += ballEvents(balls).map { "\($0.0) \(s) \($0.1)" }
            found += scores(balls).map { "\($0.0) \(s) \($0.1)" }
            found += wickets(balls).map { "\($0.0) \(s) \($0.1)" }
            found += overs(innings).map { "\($0.0) \(s) \($0.1)" }
            found += newBatters(balls).map { "newBatter \(s) \($0)" }
            if place + 1 < self.innings.count { found.append("inningsBreak \(s) \(balls.last?.label ?? "")") }
        }
        found.append("matchResult S\(innings.count) \(Self.balls(of: innings[innings.count - 1]).last?.label ?? "")")
        return found
    }

    /// " 18.6", the ball before the last over of a close chase; "" where there is but one over.
    private func closeFinish(_ place: Int) -> String? {
        guard info.isLimited, place % 2 == 1 else { return nil }
        let isSuper = place > 1
        let target = (isSuper ? nil : innings[place].target?.runs) ?? innings[place - 1].total + 1
        let overs = isSuper ? 1 : innings[place].target?.overs ?? Double(info.overs ?? 20)
        let last = Int(overs.rounded(.up)) - 1
        let before = (innings[place].overs ?? []).filter { $0.over < last }
        guard before.count == last else { return nil }
        let played = before.flatMap(\.deliveries)
        let need = target - played.reduce(innings[place].penalty_runs?.pre ?? 0) { $0 + $1.runs.total }
        let fallen = played.reduce(0) { $0 + $1.outs.count }
        guard (1...20).contains(need), fallen < (isSuper ? 2 : 10) else { return nil }
        return Self.balls(of: Innings(overs: before)).last.map { " \($0.label)" } ?? ""
    }

    private func ballEvents(_ balls: [Ball]) -> [(String, String)] {
        balls.filter { $0.delivery.outs.isEmpty }.map { ball in
            let delivery = ball.delivery
            let runs = delivery.runs.batter
            let isBoundary = [4, 6].contains(runs) && delivery.runs.non_boundary != true
            let byes = delivery.extra("byes") + delivery.extra("legbyes")
            let kind: String
            if isBoundary {
                kind = runs == 4 ? "four" : "six"
            } else if delivery.isLegal, byes == 0, runs < 4 {
                kind = ["dot", "one", "two", "three"][runs]
            } else {
                kind = "extras"
            }
            return (kind, "\(ball.label) \(delivery.batter)")
        }
    }

    private func scores(_ balls: [Ball]) -> [(String, String)] {
        var found: [(String, String)] = []
        for batter in Set(balls.map(\.delivery.batter)) {
            let faced = balls.filter { $0.delivery.batter == batter }
            func runs(_ upTo: Int) -> Int { faced[..<upTo].reduce(0) { $0 + $1.delivery.runs.batter } }
            func count(_ upTo: Int) -> Int { faced[..<upTo].count { $0.delivery.extra("wides") == 0 } }
            for value in stride(from: 50, through: 500, by: 50) {
                if let place = faced.indices.first(where: { runs($0 + 1) >= value }) {
                    found.append(("milestone", "\(faced[place].label) \(batter) \(value)"))
                }
            }
            if let place = faced.indices.first(where: { (90...99).contains(runs($0 + 1)) }) {
                found.append(("nineties", "\(faced[place].label) \(batter)"))
            }
            if let place = faced.indices.first(where: { count($0 + 1) >= 15 && runs($0 + 1) >= 2 * count($0 + 1) }) {
                found.append(("batterOnFire", "\(faced[place].label) \(batter)"))
            }
            let noWides = faced.filter { $0.delivery.extra("wides") == 0 }
            for place in noWides.indices where noWides[place].delivery.isSix {
                let row = noWides[...place].reversed().prefix { $0.delivery.isSix }.count
                if row >= 3 { found.append(("consecutiveSixes", "\(noWides[place].label) \(batter) \(row)")) }
            }
        }
        return found
    }

    private func wickets(_ balls: [Ball]) -> [(String, String)] {
        var found = balls.flatMap { ball in ball.delivery.outs.map { ("wicket", "\(ball.label) \($0.player_out)") } }
        let limit = ["T20": 6.0, "IT20": 6.0, "ODI": 4.5, "ODM": 4.5][info.match_type] ?? 3.0
        for bowler in Set(balls.map(\.delivery.bowler)) {
            let bowled = balls.filter { $0.delivery.bowler == bowler }
            var isOnFire = false
            for place in bowled.indices where bowled[place].delivery.bowlersWicket != nil {
                let label = bowled[place].label
                let streak = bowled[...place].reversed().prefix { $0.delivery.bowlersWicket != nil }.count
                if streak == 2 { found.append(("onHatTrick", "\(label) \(bowler)")) }
                if streak >= 3 { found.append(("hatTrick", "\(label) \(bowler) \(streak)")) }
                let taken = bowled[...place].count { $0.delivery.bowlersWicket != nil }
                if taken == 5 || taken == 10 { found.append(("fiveWickets", "\(label) \(bowler) \(taken)")) }
                let legal = bowled[...place].count(where: \.delivery.isLegal)
                let conceded = bowled[...place].reduce(0) { $0 + $1.delivery.conceded }
                let economy = Double(conceded) * 6 / Double(max(legal, 1))
                if !isOnFire, taken >= 3, legal >= 12, economy <= limit {
                    isOnFire = true
                    found.append(("bowlerOnFire", "\(label) \(bowler)"))
                }
            }
        }
        return found
    }

    private func overs(_ innings: Innings) -> [(String, String)] {
        let overs = innings.overs ?? []
        return overs.enumerated().flatMap { place, over -> [(String, String)] in
            let labels = Self.balls(of: Innings(overs: [over])).map(\.label)
            let legal = over.deliveries.indices.filter { over.deliveries[$0].isLegal }
            guard legal.count >= 6 else {
                return place + 1 < overs.count ? [("endOfOver", labels[labels.count - 1])] : []
            }
            let first = over.deliveries[...legal[5]]
            let label = labels[legal[5]]
            let isMaiden = Set(first.map(\.bowler)).count == 1 && first.allSatisfy { $0.conceded == 0 }
            return [("endOfOver", label)] + (isMaiden ? [("maidenOver", "\(label) \(first[legal[5]].bowler)")] : [])
        }
    }

    private func newBatters(_ balls: [Ball]) -> [String] {
        guard let opening = balls.first?.delivery else { return [] }
        return balls.indices.dropFirst().flatMap { place -> [String] in
            [balls[place].delivery.batter, balls[place].delivery.non_striker].filter { batter in
                batter != opening.batter && batter != opening.non_striker
                    && !balls[..<place].contains {
                        $0.delivery.batter == batter || $0.delivery.non_striker == batter
                    }
            }.map { "\(balls[place - 1].label) \($0)" }
        }
    }
}
