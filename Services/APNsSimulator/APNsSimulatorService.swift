import HTTP2
import Hummingbird
public import Logging
import NIOCore
import Reactor
public import ServiceKit
public import ServiceLifecycle
import SightscreenModels

/// The simulator with its five ports: APNs and its channel management for production and for the sandbox, and control.
public struct APNsSimulatorService: Service {
    private let configuration: APNsSimulatorConfiguration
    private let logger: Logger
    private let onRunning: @Sendable (SimulatorPorts) async -> Void

    /// The service is ready once all ports answer.
    public init(_ configuration: APNsSimulatorConfiguration, _ context: ServiceContext) {
        context.readiness.set("ports", false, reason: "not listening yet")
        self.init(configuration, logger: context.logger) { _ in context.readiness.set("ports", true) }
    }

    /// - Parameter onRunning: called once all ports answer.
    public init(
        _ configuration: APNsSimulatorConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (SimulatorPorts) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until it is asked to stop.
    public func run() async throws {
        let reactor = Reactor(name: "apns-simulator")
        defer { reactor.stop() }
        let simulator = try Simulator(configuration, reactor: reactor)
        let tls = try TLSConfiguration.server(
            certificateFile: configuration.certificateFile, keyFile: configuration.keyFile
        ).makeContext()
        let production = try await listen(
            APNsPort(.pushes, .production), configuration.productionPort, "APNS_SIMULATOR_PORT", simulator, tls,
            reactor)
        let sandbox = try await listen(
            APNsPort(.pushes, .sandbox), configuration.sandboxPort, "APNS_SIMULATOR_SANDBOX_PORT", simulator, tls,
            reactor)
        let management = try await listen(
            APNsPort(.management, .production), configuration.managementPort, "APNS_SIMULATOR_MANAGEMENT_PORT",
            simulator, tls, reactor)
        let sandboxManagement = try await listen(
            APNsPort(.management, .sandbox), configuration.sandboxManagementPort,
            "APNS_SIMULATOR_SANDBOX_MANAGEMENT_PORT", simulator, tls, reactor)
        let servers = [production, sandbox, management, sandboxManagement]
        let control = Application(
            router: ControlAPI(simulator: simulator).router(),
            configuration: .init(address: .hostname(configuration.host, port: configuration.controlPort)),
            onServerRunning: { channel in
                let ports = SimulatorPorts(
                    host: configuration.host, production: production.port, sandbox: sandbox.port,
                    management: management.port, sandboxManagement: sandboxManagement.port,
                    control: channel.localAddress?.port ?? 0)
                await announce(ports)
            }, logger: logger)
        do {
            try await withGracefulShutdownHandler {
                try await control.run()
            } onGracefulShutdown: {
                // A client that follows the log would keep the control port open for ever.
                Task { await simulator.stopFollowers() }
            }
        } catch {
            for server in servers { await server.close(timeout: .zero) }
            if error is CancellationError { throw error }
            throw ServingFailure(
                error, host: configuration.host, port: configuration.controlPort,
                settings: .init(host: Self.hostSetting, port: "APNS_SIMULATOR_CONTROL_PORT"))
        }
        for server in servers { await server.close() }
    }

    private static let hostSetting = "APNS_SIMULATOR_HOST"

    private func listen(
        _ purpose: APNsPort, _ port: Int, _ setting: String, _ simulator: Simulator, _ tls: TLSContext,
        _ reactor: Reactor
    ) async throws -> HTTP2Server {
        do throws(HTTP2Error) {
            // A connection has one stream until its first valid request.
            return try await HTTP2Server.start(
                host: configuration.host, port: port, tls: tls, reactor: reactor,
                settings: .init(
                    concurrentStreamsMax: 1, initialWindowBytes: configuration.streamWindowBytes,
                    connectionWindowBytes: configuration.connectionWindowBytes),
                responder: SimulatorGate(simulator, purpose))
        } catch {
            throw ServingFailure(
                setting: error.code == .lookup ? Self.hostSetting : setting, host: configuration.host, port: port,
                cause: error)
        }
    }

    private func announce(_ ports: SimulatorPorts) async {
        if let runDirectory = configuration.runDirectory {
            do {
                try RunDirectory.write(ports: ports, of: "apns-simulator", to: runDirectory)
            } catch {
                logger.error("The ports could not be written down", metadata: ["error": "\(error)"])
            }
        }
        logger.info(
            "APNs simulator listens",
            metadata: [
                "host": "\(ports.host)", "port.production": "\(ports.production)", "port.sandbox": "\(ports.sandbox)",
                "port.management": "\(ports.management)", "port.management.sandbox": "\(ports.sandboxManagement)",
                "port.control": "\(ports.control)",
            ])
        await onRunning(ports)
    }
}
