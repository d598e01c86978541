import ArgumentParser

/// `life-lab named`: the schedules with a name.
struct NamedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "named", abstract: "All schedules with a name; or one, told step by step.")

    @Argument(help: "One of them.") var name: NamedSchedule?
    @Option(help: "A mistake to plant.") var bug: PlantedBug?

    func run() throws {
        if let name { return try ReplayCommand.tell(name.world(bug: bug, isTraced: true)) }
        var failed = 0
        for name in NamedSchedule.allCases {
            guard let failure = name.world(bug: bug).failure else { continue }
            failed += 1
            let planted = bug.map { " --bug \($0)" } ?? ""
            LabOutput.note("\(name): \(failure)\n    \(LabOutput.program) named \(name)\(planted)")
        }
        LabOutput.line(
            "{\"lab\":\"life-named\",\"schedules\":\(NamedSchedule.allCases.count),\"failed\":\(failed),\"met\":\(failed == 0)}"
        )
        if failed > 0 { throw ExitCode.failure }
    }
}
