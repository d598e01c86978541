import FoundationEssentials
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceKit
import ServiceLifecycle

/// Listens and passes requests to the responder. It ends gracefully: requests that have arrived are still answered.
struct GatewayServer: Service, CustomStringConvertible {
    let host: String
    /// The port to listen on; 0 for any free one.
    let port: Int
    let responder: GatewayResponder
    /// The file that the address is written to; nil writes none.
    let addressFile: String?
    let logger: Logger
    var proxies = TrustedProxies.none
    var times = GatewayTimes()
    var connectionsMax = GatewayLimits.connectionsMax
    var onRunning: @Sendable (_ port: Int) async -> Void = { _ in }

    var description: String { "HTTP server" }

    func run() async throws {
        // Hummingbird's own log lines would repeat the gateway's.
        var quiet = logger
        quiet.logLevel = .critical
        let metrics = ServerMetrics()
        let files = OpenFiles.raiseLimit() - GatewayLimits.otherFilesMax
        if files < connectionsMax {
            logger.warning(
                "There may be fewer connections than planned: the limit of open files is low",
                metadata: ["connections": "\(max(files, 1))", "planned": "\(connectionsMax)"])
        }
        let connections = ConnectionTable(max: min(connectionsMax, max(files, 1)), metrics: metrics)
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { [proxies, times] respond in
                GatewayChannel(
                    responder: respond, connections: connections, proxies: proxies, times: times, metrics: metrics)
            },
            configuration: .init(address: .hostname(host, port: port), backlog: GatewayLimits.backlog),
            onServerRunning: { channel in await report(channel.localAddress?.port ?? port) }, logger: quiet)
        defer { if let addressFile { unlink(addressFile) } }
        do {
            try await application.run()
        } catch {
            throw ServingFailure(
                error, host: host, port: port, settings: .init(host: "GATEWAY_HOST", port: "GATEWAY_PORT"))
        }
    }

    private func report(_ port: Int) async {
        logger.info("Listening", metadata: ["address": "\(host):\(port)"])
        if let addressFile {
            do {
                try Data("\(host):\(port)\n".utf8).write(to: URL(filePath: addressFile), options: .atomic)
            } catch {
                logger.warning("The address could not be written", metadata: ["error": "\(error)"])
            }
        }
        await onRunning(port)
    }
}
