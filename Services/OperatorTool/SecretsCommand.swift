import ArgumentParser
import Processes
import Reactor

/// `sightscreen secrets`: the demo's keys and certificate in a folder, for `compose.yaml`.
struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Makes the demo's keys and certificate where they are missing. Never for production.")

    @Option(help: "The folder they go to.")
    var directory: String

    @Option(help: "A host name under which apns-simulator is reached, besides localhost; may be repeated.")
    var host: [String] = []

    func run() async throws {
        let reactor = Reactor(name: "processes")
        let secrets = DevelopmentSecrets(folder: directory)
        try await secrets.makeWhereMissing(hosts: host, with: ProcessTable(reactor: reactor))
        print("The demo's keys are in \(directory).")
    }
}
