import ArgumentParser
import FoundationEssentials
import Hummingbird
import Logging
import ServiceKit

/// `sightscreen dev-issuer`: publishes the keys that `sightscreen token` signs with.
struct DevIssuerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev-issuer",
        abstract: "Publishes a development key set at /.well-known/jwks.json. Never for production.")

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8091

    @Option(help: "The folder that keeps the key; by default that of sightscreen up.")
    var stateDir: String?

    func run() async throws {
        let folder = stateDir ?? DevelopmentDefaults.keyFolder
        var logger = Logger(label: "dev-issuer")
        logger.logLevel = .notice
        let issuer = DevIssuer(identity: try DevelopmentIdentity(folder: folder))
        let host = host
        let application = issuer.application(host: host, port: port, logger: logger) { port in
            Output.line("Keys at http://\(host):\(port)/.well-known/jwks.json")
        }
        do { try await application.runService() } catch {
            let failure = ServingFailure(
                error, host: host, port: port, settings: .init(host: "--host", port: "--port"))
            throw UpError(ErrorChain.describe(failure))
        }
    }
}
