import ArgumentParser

/// `life-lab`: whole lives of Live Activities on a virtual clock. Phones, APNs, the services and their faults are
/// simulated; what decides is the real `ActivityLife`, with the rules that the services use.
@main
struct LifeLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "life-lab", abstract: "Checks the whole life of Live Activities in simulated schedules.",
        subcommands: [RunCommand.self, ReplayCommand.self, NamedCommand.self, BugsCommand.self])
}
