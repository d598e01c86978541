import FoundationEssentials
import Hummingbird
public import Logging
public import ServiceKit
public import ServiceLifecycle

/// The service `mock-sportmonks`: the provider's API and its control port on one address.
public struct MockSportMonksService: Service {
    private let configuration: MockSportMonksConfiguration
    private let logger: Logger
    private let onRunning: @Sendable (_ port: Int) -> Void

    /// The service is ready once its port answers.
    public init(_ configuration: MockSportMonksConfiguration, _ context: ServiceContext) {
        context.readiness.set("port", false, reason: "not listening yet")
        self.init(configuration, logger: context.logger) { _ in context.readiness.set("port", true) }
    }

    /// - Parameter onRunning: called with the port once it answers.
    public init(
        _ configuration: MockSportMonksConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until it is asked to stop.
    public func run() async throws {
        let registry = MatchRegistry(
            library: TapeLibrary(folder: configuration.tapes), hourlyLimit: configuration.hourlyLimit)
        if let tape = configuration.load {
            let position = try await registry.load(
                LoadOrder(
                    tapeID: tape, speed: configuration.speed, lead: configuration.lead / .seconds(1),
                    variant: configuration.variant, seed: configuration.seed))
            logger.info("A tape plays", metadata: ["match.id": "\(position.matchId)", "tape": "\(position.title)"])
        }
        let router = Router()
        ProviderAPI(registry: registry, token: configuration.token).add(to: router)
        ControlAPI(registry: registry).add(to: router)
        // The framework's own lines would repeat those of this service.
        var quiet = logger
        quiet.logLevel = .critical
        let application = Application(
            router: router,
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in announce(channel.localAddress?.port ?? configuration.port) }, logger: quiet)
        do { try await application.run() } catch let error where !(error is CancellationError) {
            throw ServingFailure(
                error, host: configuration.host, port: configuration.port,
                settings: .init(host: "MOCK_SPORTMONKS_HOST", port: "MOCK_SPORTMONKS_PORT"))
        }
    }

    private func announce(_ port: Int) {
        if let runDirectory = configuration.runDirectory {
            do {
                try RunDirectory.write(
                    ports: ServicePort(host: configuration.host, port: port), of: "mock-sportmonks", to: runDirectory)
            } catch {
                logger.error("The port could not be written down", metadata: ["error": "\(error)"])
            }
        }
        logger.info("mock-sportmonks listens", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
        onRunning(port)
    }
}
