import ArgumentParser

/// `life-lab bugs`: each planted mistake must be caught, by its named schedule and by random ones.
struct BugsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bugs", abstract: "Plants mistakes, one at a time, and fails unless each is caught.")

    @Option(help: "Random schedules for each, at most.") var schedules = 400
    @Option(help: "The first seed.") var seed: UInt64 = 1

    func run() throws {
        var missed: [PlantedBug] = []
        var byChance = 0
        for bug in PlantedBug.allCases {
            let named = bug.schedule.world(bug: bug).failure
            var random: String?
            for offset in 0..<UInt64(schedules) {
                guard let failure = RandomSchedule.world(seed: seed + offset, bug: bug).failure else { continue }
                random = """
                    seed \(seed + offset): \(failure)
                            \(LabOutput.program) replay --seed \(seed + offset) --bug \(bug)
                    """
                break
            }
            if random != nil { byChance += 1 }
            if named == nil { missed.append(bug) }
            LabOutput.note(
                "\(bug)\n    \(bug.schedule): \(named ?? "NOT CAUGHT")\n    \(random ?? "by no random schedule of \(schedules)")"
            )
        }
        LabOutput.line(
            """
            {"lab":"life-bugs","bugs":\(PlantedBug.allCases.count),"caughtByName":\
            \(PlantedBug.allCases.count - missed.count),"caughtByChance":\(byChance),\
            "missed":[\(missed.map { "\"\($0)\"" }.joined(separator: ","))],"met":\(missed.isEmpty)}
            """)
        if !missed.isEmpty { throw ExitCode.failure }
    }
}
