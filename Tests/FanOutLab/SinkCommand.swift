import ArgumentParser
import HTTP2
import Reactor

/// A server that takes everything and looks at nothing, until it is killed.
struct SinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sink", abstract: "Answers every request with 200.")

    @Option(help: "Where to listen.") var port: Int
    @Option(help: "PEM file with the certificate.") var certificate: String
    @Option(help: "PEM file with its key.") var key: String

    mutating func run() async throws {
        let tls = try TLSConfiguration.server(certificateFile: certificate, keyFile: key).makeContext()
        let server = try await HTTP2Server.start(
            host: "127.0.0.1", port: port, tls: tls, reactor: Reactor(name: "sink")
        ) { _ in .respond(HTTP2Response(status: 200)) }
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
        await server.close()
    }
}
