import FoundationEssentials
import HTTPClient
import Hummingbird
public import Logging
public import ServiceKit
public import ServiceLifecycle
public import SightscreenModels

/// The service `device-lab`: the page, and the state of phones, tapes and pipeline that it shows.
public struct DeviceLabService: Service {
    /// The newest display state of a match by the API; nil when there is none yet.
    public typealias DisplayState = @Sendable (MatchID) async throws -> ContentState?

    private let configuration: DeviceLabConfiguration
    private let phones: [any LabPhone]
    private let page: LabPage
    private let displayState: DisplayState?
    /// The intervals of browser streams.
    var times = EventStream.Times()
    private let logger: Logger
    private let onRunning: @Sendable (_ port: Int) -> Void

    /// Makes the service for the fleet's phones; it is ready once the page is served.
    public init(_ configuration: DeviceLabConfiguration, _ context: ServiceContext, fleet: IPhoneFleet) {
        context.readiness.set("port", false, reason: "not listening yet")
        self.init(
            configuration, phones: fleet.phones, displayState: { try await fleet.displayState(of: $0) },
            logger: context.logger
        ) { _ in context.readiness.set("port", true) }
    }

    /// - Parameters:
    ///   - phones: the phones in the order of the page. They run by themselves.
    ///   - displayState: called once a second for every match that plays; without it the state comes from the phone
    ///     that is ahead of the others.
    ///   - onRunning: called with the port once the page is served.
    public init(
        _ configuration: DeviceLabConfiguration, phones: [any LabPhone], page: LabPage = .embedded,
        displayState: DisplayState? = nil, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.phones = phones
        self.page = page
        self.displayState = displayState
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until it is asked to stop.
    public func run() async throws {
        let lab = Lab(phones: phones) { Int64(Date().timeIntervalSince1970 * 1_000) }
        for phone in phones { await lab.take(await phone.state) }
        let http = HTTPClient(configuration: .init(allowHTTP: true))
        let standIns = StandInControl(provider: configuration.provider, apns: configuration.apns, http: http)
        let stages = StageMonitor(
            addresses: StageAddresses(named: configuration.stages, runDirectory: configuration.runDirectory),
            apns: standIns.apns, http: http)
        let monitor = LabMonitor(
            lab: lab, phones: phones, standIns: standIns, stages: stages, displayState: displayState,
            channels: try configuration.database.map {
                ChannelMonitor(pool: try $0.pool(size: 2, applicationName: "device-lab"), apns: standIns.apns)
            })
        let names = ["localhost", "127.0.0.1", "::1", configuration.host] + configuration.names
        let server = LabServer(
            lab: lab, standIns: standIns, page: page, names: Set(names.map { $0.lowercased() }),
            displayState: displayState,
            times: times)
        // The framework's own lines would repeat those of this service.
        var quiet = logger
        quiet.logLevel = .critical
        let application = Application(
            router: server.router(), server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in announce(channel.localAddress?.port ?? configuration.port) }, logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await monitor.run() }
            defer { group.cancelAll() }
            try await withGracefulShutdownHandler {
                do { try await application.run() } catch let error where !(error is CancellationError) {
                    throw ServingFailure(
                        error, host: configuration.host, port: configuration.port,
                        settings: .init(host: "DEVICE_LAB_HOST", port: "DEVICE_LAB_PORT"))
                }
            } onGracefulShutdown: {
                // A stream that goes on would keep the server open for ever.
                Task { await lab.stop() }
            }
        }
    }

    private func announce(_ port: Int) {
        if let runDirectory = configuration.runDirectory {
            do {
                try RunDirectory.write(
                    ports: ServicePort(host: configuration.host, port: port), of: "device-lab", to: runDirectory)
            } catch {
                logger.error("The port could not be written down", metadata: ["error": "\(error)"])
            }
        }
        logger.info("device-lab listens", metadata: ["url": "http://\(configuration.host):\(port)/"])
        onRunning(port)
    }
}
