import FoundationEssentials
import Glibc
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Listens, and lets the responder answer. Ends gracefully: requests that have arrived are still answered.
struct GatewayServer: Service, CustomStringConvertible {
    let host: String
    /// 0: any free one.
    let port: Int
    let responder: GatewayResponder
    /// Where the address is written, for those that look for it; nil: nowhere.
    let addressFile: String?
    let logger: Logger
    var onRunning: @Sendable (_ port: Int) async -> Void = { _ in }

    var description: String { "HTTP server" }

    func run() async throws {
        // Hummingbird's own lines would repeat ours.
        var quiet = logger
        quiet.logLevel = .critical
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(GatewayLimits.idleSeconds),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: GatewayLimits.headerBytesMax,
                        maxHeaderListSize: GatewayLimits.headerBytesMax,
                        maxHeaderFieldCount: GatewayLimits.headerFieldsMax))),
            configuration: .init(
                address: .hostname(host, port: port), backlog: 1024,
                availableConnectionsDelegate: .maximum(GatewayLimits.connectionsMax, logger: quiet)),
            onServerRunning: { channel in await report(channel.localAddress?.port ?? port) }, logger: quiet)
        defer { if let addressFile { unlink(addressFile) } }
        do {
            try await application.run()
        } catch {
            throw GatewayServerFailure(description: "cannot serve at \(host):\(port): \(error)")
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

struct GatewayServerFailure: Error, CustomStringConvertible {
    let description: String
}
