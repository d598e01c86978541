public import ArgumentParser

/// `sightscreen`: the operator's command line.
public struct SightscreenCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "sightscreen",
        abstract: "Runs, shows and looks after Sightscreen, the live-score push backend.",
        subcommands: [
            UpCommand.self, PhonesCommand.self, DevIssuerCommand.self, TokenCommand.self, MigrateCommand.self,
            TapeCommand.self, SecretsCommand.self,
        ])

    public init() {}
}
