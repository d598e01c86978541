import ArgumentParser

/// `detection-lab`: long checks and measurements of the path from the provider's JSON to events, alerts and display
/// state, in one process without services. Built in release; `deploy/test`, `deploy/soak` and `deploy/bench` run it.
@main
struct DetectionLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detection-lab",
        abstract: "Checks and measures the reading of the provider's frames.",
        subcommands: [
            EventsCommand.self, ConformanceCommand.self, FuzzCommand.self, PayloadsCommand.self, WordsCommand.self,
            BenchFrameCommand.self,
        ])
}
