import FoundationEssentials
import HTTPClient
public import Logging
public import ServiceLifecycle
public import SightscreenModels

/// All phones of a lab, from being switched on to being switched off, and the match that they show first.
public struct IPhoneFleet: Service {
    /// Phones that are switched on or off at a time, because each makes some calls.
    private static let atOnce = 16

    public let phones: [any LabPhone]
    private let iPhones: [SimulatedIPhone]
    private let apple: SimulatedAPNs
    private let matches: LabGateway
    private let demo: Demo?
    private let logger: Logger

    public init(_ configuration: DeviceLabConfiguration, logger: Logger) {
        let http = HTTPClient(configuration: .init(allowHTTP: true))
        apple = SimulatedAPNs(base: configuration.apns, http: http, logger: logger)
        let issuer = LabIssuer(base: configuration.issuer, http: http)
        matches = LabGateway(base: configuration.gateway, issuer: issuer, http: http)
        let shared = SimulatedIPhone.Shared(
            gateway: configuration.gateway, issuer: issuer, http: http, apple: apple, matches: matches,
            limits: .init(speed: configuration.speed), suspendsApps: configuration.suspendsApps,
            run: configuration.seed ?? .random(in: 1 ... .max))
        let iPhones = (1...max(configuration.phones, 1)).prefix(configuration.phones).map {
            SimulatedIPhone(number: $0, shared: shared)
        }
        let matches = matches
        self.iPhones = iPhones
        phones = iPhones
        demo = configuration.match.map { tape in
            Demo(
                tape: tape, configuration: configuration, phones: iPhones, matches: matches,
                standIns: StandInControl(provider: configuration.provider, apns: configuration.apns, http: http),
                logger: logger)
        }
        self.logger = logger
    }

    /// The newest display state of a match. From the first call on, the app of every phone lists the match.
    public func displayState(of match: MatchID) async throws -> ContentState? {
        let item = try await matches.refresh(match)
        for phone in iPhones { await phone.show(match) }
        return item.displayState
    }

    /// Runs the phones until it is asked to stop.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await apple.run() }
                group.addTask {
                    await switchOn()
                    await demo?.run()
                }
                await group.waitForAll()
            }
        }
        await forAll { await $0.switchOff() }
    }

    private func switchOn() async {
        await forAll { await $0.switchOn() }
        logger.info("The phones are on", metadata: ["phones": "\(iPhones.count)"])
    }

    private func forAll(_ work: @escaping @Sendable (SimulatedIPhone) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            var waiting = iPhones[...]
            for phone in waiting.prefix(Self.atOnce) { group.addTask { await work(phone) } }
            waiting = waiting.dropFirst(Self.atOnce)
            while await group.next() != nil {
                if let phone = waiting.popFirst() { group.addTask { await work(phone) } }
            }
        }
    }
}
