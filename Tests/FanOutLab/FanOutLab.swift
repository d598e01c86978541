import ArgumentParser

/// Measures the fan-out for `deploy/bench fanout`; never installed.
@main struct FanOutLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout-lab", abstract: "Measures the fan-out.",
        subcommands: [
            SendCommand.self, TokensCommand.self, WicketCommand.self, RosterSeedCommand.self, RosterCommand.self,
        ])
}
