import ArgumentParser

/// `life-lab replay`: one random schedule, told step by step.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "One random schedule, with everything that happens in it.")

    @Option(help: "Its seed.") var seed: UInt64
    @Option(help: "A mistake to plant.") var bug: PlantedBug?

    func run() throws { try Self.tell(RandomSchedule.world(seed: seed, bug: bug, isTraced: true)) }

    static func tell(_ world: World) throws {
        LabOutput.line(world.trace.joined(separator: "\n"))
        LabOutput.line(world.failure.map { "FAILED: \($0)" } ?? "All is well after \(world.steps) steps.")
        if world.failure != nil { throw ExitCode.failure }
    }
}
