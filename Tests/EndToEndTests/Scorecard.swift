import FoundationEssentials

/// What really happened in a match, read from Cricsheet's file by the simplest means: the oracle of these tests, which
/// shares no code with what it checks.
struct Scorecard {
    struct Delivery {
        var innings: Int
        /// "87/6" after it; "87" when all are out.
        var score: String
        /// "12.3" after it.
        var overs: String
        var endsOver: Bool
        var isLastOfInnings: Bool
        var isWicket: Bool
        var isFour: Bool
        var isSix: Bool
    }

    let deliveries: [Delivery]

    init(path: String) throws {
        struct File: Decodable {
            struct Innings: Decodable {
                struct Over: Decodable { var deliveries: [Ball] }
                var overs: [Over]
            }
            struct Ball: Decodable {
                struct Runs: Decodable {
                    var batter: Int
                    var total: Int
                    var non_boundary: Bool?
                }
                struct Wicket: Decodable { var kind: String }
                var runs: Runs
                var extras: [String: Int]?
                var wickets: [Wicket]?
            }
            var innings: [Innings]
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw CocoaError(.fileNoSuchFile) }
        let file = try JSONDecoder().decode(File.self, from: data)
        var all: [Delivery] = []
        for (number, innings) in file.innings.enumerated() {
            var runs = 0
            var wickets = 0
            for (over, bowled) in innings.overs.enumerated() {
                var legal = 0
                for (index, ball) in bowled.deliveries.enumerated() {
                    runs += ball.runs.total
                    let out = (ball.wickets ?? []).filter {
                        !$0.kind.hasPrefix("retired hurt") && $0.kind != "retired not out"
                    }
                    wickets += out.count
                    if ball.extras?["wides"] == nil && ball.extras?["noballs"] == nil { legal += 1 }
                    let isComplete = index == bowled.deliveries.count - 1 && legal >= 6
                    let isBoundary = ball.runs.non_boundary != true
                    all.append(
                        Delivery(
                            innings: number + 1, score: wickets == 10 ? "\(runs)" : "\(runs)/\(wickets)",
                            overs: isComplete ? "\(over + 1).0" : legal == 6 ? "\(over + 1).0" : "\(over).\(legal)",
                            endsOver: isComplete,
                            isLastOfInnings: over == innings.overs.count - 1 && index == bowled.deliveries.count - 1,
                            isWicket: !out.isEmpty, isFour: isBoundary && ball.runs.batter == 4,
                            isSix: isBoundary && ball.runs.batter == 6))
                }
            }
        }
        deliveries = all
    }
}
