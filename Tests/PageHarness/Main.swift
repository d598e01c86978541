import ArgumentParser
import DeviceLab
import FoundationEssentials
import Glibc
import Logging
import MockSportMonks
import PretendPhones
import ServiceKit
import ServiceLifecycle
import SightscreenModels
import Tapes
import TestKit
import UnixSignals

/// The page of device-lab on phones that only pretend, for its tests and for whoever changes it.
@main
struct PageHarness: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page-harness",
        abstract: "Serves device-lab's page with a real match on pretended phones.",
        discussion: "Prints one line of JSON with the page's address once it answers, and serves until it is ended.")

    @Option(help: "How many phones.") var phones = 200
    @Option(help: "Port of the page; 0 takes a free one.") var port = 0
    @Option(help: "Folder of the page's files, read when it starts; without it those that are built in.") var page:
        String?
    @Option(help: "Folder of Cricsheet matches.") var tapes = "Tests/Fixtures/matches"
    @Option(help: "The match.") var match = "1304076"
    @Option(help: "Seconds of the match per second.") var speed = 40.0
    @Option(help: "Where the tape stands first: a label like \"S2 16.1\".") var at: String?
    @Option(help: "What every state gives as the reason why there is no play.") var status: String?
    @Flag(help: "The tape does not play until it is told to.") var paused = false
    @Flag(help: "Names that try to be more than names.") var hostile = false
    @Flag(help: "A second match beside the first, which every fourth phone follows, too.") var two = false
    @Flag(help: "Nobody follows anything yet.") var fresh = false
    @Flag(help: "Nothing reaches the second phone any more, whose activity is out of date.") var stale = false

    func run() async throws {
        var logger = Logger(label: "page-harness")
        logger.logLevel = .error
        let work = try TemporaryDirectory()
        defer { work.remove() }
        let (providerPorts, providerWakeUp) = AsyncStream.makeStream(of: Int.self)
        let (pagePorts, pageWakeUp) = AsyncStream.makeStream(of: Int.self)
        var provider = MockSportMonksConfiguration(tapes: tapes, token: Secret("token"))
        provider.load = nil
        let mock = MockSportMonksService(provider, logger: logger) { providerWakeUp.yield($0) }
        let page = try page.map { try Self.files(in: $0) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            let providerLogger = logger
            let providers = ServiceGroup(configuration: .init(services: [.init(service: mock)], logger: providerLogger))
            group.addTask { try await providers.run() }
            guard let providerPort = await providerPorts.first(where: { _ in true }) else { return }
            let scenario = PretendScenario(
                provider: "http://127.0.0.1:\(providerPort)/control", phones: phones, isHostile: hostile,
                hasStale: stale, status: status)
            try await scenario.load(match, from: tapes, speed: speed, at: at, isPaused: paused)
            if two { try await scenario.load("1256724", from: tapes, speed: speed, at: "S2 12.1", isPaused: paused) }
            let pipeline = try PretendPipeline(scenario: scenario, folder: work.path)
            var configuration = DeviceLabConfiguration(
                provider: "http://127.0.0.1:\(providerPort)", apns: pipeline.apns)
            configuration.port = port
            configuration.runDirectory = work.path
            let lab = DeviceLabService(
                configuration, phones: scenario.phones, page: page ?? .embedded, logger: logger
            ) { pageWakeUp.yield($0) }
            group.addTask { try await scenario.run(following: !fresh) }
            group.addTask {
                try await ServiceGroup(
                    configuration: .init(
                        services: [.init(service: lab)], gracefulShutdownSignals: [.sigterm, .sigint],
                        logger: providerLogger)
                ).run()
                // Cancelled, it would wait for connections that are still open.
                await providers.triggerGracefulShutdown()
                throw CancellationError()
            }
            if let port = await pagePorts.first(where: { _ in true }) {
                print(#"{"url":"http://127.0.0.1:\#(port)/"}"#)
                fflush(nil)
            }
            do { try await group.waitForAll() } catch is CancellationError { group.cancelAll() }
        }
    }

    private static func files(in folder: String) throws -> LabPage {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            if let data = FileManager.default.contents(atPath: "\(folder)/\(name)") { files[name] = [UInt8](data) }
        }
        return LabPage(files)
    }
}
