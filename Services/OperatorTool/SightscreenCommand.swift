public import ArgumentParser
import FoundationEssentials
import ServiceKit
import Tokens

/// `sightscreen`: the operator's command line.
public struct SightscreenCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "sightscreen",
        abstract: "Runs, shows and looks after Sightscreen, the live-score push backend.",
        version: "sightscreen \(Suite.version)",
        subcommands: [
            UpCommand.self, SettingsCommand.self, DevIssuerCommand.self, TokenCommand.self, MigrateCommand.self,
            TapeCommand.self, ReplayCommand.self, InspectCommand.self, HoldCommand.self, ReleaseCommand.self,
            EndCommand.self, EraseCommand.self,
            SecretsCommand.self,
        ])

    public init() {}

    /// Runs the program as `main()` does, but prints an error as one line.
    public static func runProgram() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let error =
                (error as? TokenKeyFile.Mismatch).map { UpError.setting(TokenKeyFile.setting, "\($0)") } ?? error
            let status = exitCode(for: error)
            let text = error is CocoaError ? TextFile.reason(error) : message(for: error)
            let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
            // Help and versions are no errors, and a command that ends with a status has printed the reason.
            if status.isSuccess || line.isEmpty { exit(withError: error) }
            Output.error("sightscreen: \(line)")
            exit(withError: (error as? UpError).map { ExitCode($0.status) } ?? status)
        }
    }
}
