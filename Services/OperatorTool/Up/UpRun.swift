import FoundationEssentials
import Glibc
import HTTPClient
import Postgres
import Processes
import Reactor
import ServiceKit
import Store
import Tokens
import UnixSignals

/// One run of `sightscreen up`, from an empty state folder to the end of its last process.
struct UpRun: Sendable {
    let command: UpCommand
    let environment: [String: String]

    /// The settings that go to every service, like those of logs.
    private static let handedOn = [
        "OTEL_EXPORTER_OTLP_ENDPOINT", "TRACE_SAMPLE_RATIO", "BROADCAST", "CHANNEL_MIN_FOLLOWERS",
    ]
    /// The default port of the web page.
    private static let pagePort = 8_090

    private enum Ending: Sendable {
        /// Whether every Lock Screen was right.
        case matchOver(isGood: Bool)
        case asked
        case misconfigured(String)
    }

    /// - Returns: the exit status: 0 after the match or Ctrl-C, 78 when a setting is wrong, 1 otherwise.
    func run() async throws -> Int32 {
        let begun = ContinuousClock.now
        let state = try StateFolder(path: StateFolder.path(environment: environment), keep: command.keep)
        let reactor = Reactor(name: "processes")
        let processes = ProcessTable(reactor: reactor)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let tellsEvents = command.suite != nil
        let supervisor = Supervisor(processes: processes) {
            Self.report($0, state)
            if tellsEvents { try? SuiteEvent($0)?.print() }
        }

        let ending: Ending
        do {
            ending = try await withThrowingTaskGroup(of: Ending?.self) { group in
                group.addTask {
                    for await _ in signals { return .asked }
                    return nil
                }
                group.addTask { .misconfigured(try await supervisor.misconfiguration()) }
                group.addTask {
                    try await play(state: state, processes: processes, supervisor: supervisor, begun: begun)
                }
                defer { group.cancelAll() }
                while let first = try await group.next() {
                    if let first { return first }
                }
                return .asked
            }
        } catch {
            _ = await supervisor.stop()
            throw error
        }
        let unclean = await supervisor.stop()
        reactor.stop()
        return Self.conclude(ending, unclean: unclean, logs: state.logs)
    }

    private func play(
        state: StateFolder, processes: ProcessTable, supervisor: Supervisor, begun: ContinuousClock.Instant
    ) async throws -> Ending? {
        try checkPort()
        let orders = command.suite == nil ? nil : InputLines.all()
        var suite = SuiteDescription()
        if let file = command.suite, let orders { suite = try await SuiteDescription.read(file, lines: orders) }
        let secrets = DevelopmentSecrets(folder: state.secrets)
        try await secrets.makeWhereMissing(with: processes)
        let (databaseURL, postgres) = try await startDatabase(
            suite, state: state, secrets: secrets, processes: processes, supervisor: supervisor)
        var layout = SuiteLayout(
            state: state, secrets: secrets, ports: try choosePorts(), suite: suite, databaseURL: databaseURL,
            tapes: Self.absolute(command.tapes), binaries: Self.ownFolder(),
            timing: DemoTiming(speed: command.pace, channels: command.channels),
            demo: .init(match: command.match, speed: command.pace, feed: command.feed, phones: command.phones),
            recordFolder: (command.record ?? environment["RECORD_DIR"]).map(Self.absolute),
            extra: environment.filter { $0.key.hasPrefix("LOG_") || Self.handedOn.contains($0.key) })

        let instances =
            suite.instances
            ?? (SuiteLayout.standIns + SuiteLayout.stages + (command.headless ? [] : [SuiteLayout.lab])).map {
                SuiteDescription.Instance(name: $0)
            }
        for instance in instances { try layout.ports.add(instance) }
        let standIns = instances.filter { SuiteLayout.standIns.contains($0.kind) }
        let phones = instances.filter { $0.kind == SuiteLayout.lab }
        let services = instances.filter { !(SuiteLayout.standIns + [SuiteLayout.lab]).contains($0.kind) }
        let http = HTTPClient(configuration: .init(allowHTTP: true))
        Output.error("Starting \(services.count) services and \(standIns.count + phones.count) stand-ins …")
        // The stand-ins start first: a service that does not find them would wait before it tries again.
        for group in [standIns, services, phones].map({ $0.map(layout.service) }) {
            for service in group { await supervisor.start(service) }
            for service in group { try await waitUntilReady(service, http) }
        }
        let endpoints = try writeEndpoints(layout)
        Output.error(
            "Everything is ready after \(begun.secondsSince). API: \(layout.gatewayURL)  logs: \(state.logs)")
        if let orders {
            var ready = SuiteEvent("ready")
            ready.endpoints = endpoints
            try ready.print()
            for await line in orders {
                let order = try SuiteDescription.Order(line: line)
                if let postgres, order.start.name == postgres.name {
                    await supervisor.start(postgres)
                } else {
                    try layout.ports.add(order.start)
                    await supervisor.start(layout.service(order.start))
                }
            }
            return .asked
        }
        if command.headless { return nil }
        Output.error("The iPhones: \(layout.labURL)/  (Ctrl-C ends everything)")

        let isGood = try await PlayedMatch(lab: layout.labURL, http: http, begun: begun).follow()
        if command.once { return .matchOver(isGood: isGood) }
        // The page offers other matches, and faults to try.
        if !Task.isCancelled { Output.error("The page stays: \(layout.labURL)/  Ctrl-C ends everything.") }
        return nil
    }

    /// - Returns: the URL, and the server if it is our own.
    private func startDatabase(
        _ suite: SuiteDescription, state: StateFolder, secrets: DevelopmentSecrets, processes: ProcessTable,
        supervisor: Supervisor
    ) async throws -> (String, SupervisedService?) {
        let url: String
        var server: SupervisedService?
        if let given = try MigrateCommand.databaseURL(environment) {
            url = given
        } else {
            Output.error("PostgreSQL: a private cluster in \(state.cluster)")
            let cluster = try PostgresCluster(folder: state.cluster)
            try await cluster.initialise(with: processes)
            let log = "\(state.logs)/postgres.log"
            let service = SupervisedService(
                name: "postgres", command: cluster.server(logFile: log, settings: suite.postgres ?? []), readyURL: nil,
                logFile: log, stopSignal: 2, restarts: suite.restarts ?? true)
            await supervisor.start(service)
            server = service
            try await makeDatabase(in: cluster)
            url = cluster.url(database: "sightscreen")
        }
        let pool = try MigrateCommand.pool(url: url, applicationName: "sightscreen-up", standIns: true)
        try await pool.waitUntilReachable { Output.error("waiting for PostgreSQL: \($0)") }
        _ = try await Migrator(pool: pool).migrate { Output.error($0) }
        let tokenKeys = suite.settings?[TokenKeyFile.setting] ?? secrets.tokenKeys
        if let cipher = try RotateCommand.cipher(tokenKeys) {
            let encryption = TokenEncryption(pool: pool, cipher: cipher)
            try await encryption.begin()
            _ = try await encryption.finish()
        }
        await pool.close()
        return (url, server)
    }

    private func makeDatabase(in cluster: PostgresCluster) async throws {
        let pool = try PostgresPool(
            url: cluster.url(database: "postgres"), size: 1, applicationName: "sightscreen-up")
        try await pool.waitUntilReachable { _ in }
        let rows = try await pool.query("SELECT 1 AS one FROM pg_database WHERE datname = 'sightscreen'")
        if rows.isEmpty { _ = try await pool.query("CREATE DATABASE sightscreen", deadline: .seconds(30)) }
        await pool.close()
    }

    private func checkPort() throws {
        guard command.port == 0 || command.port != command.pagePort else {
            throw UpError("--port and --page-port: both are \(command.port); choose two, or 0 for any")
        }
        for (option, port) in [("--port", command.port), ("--page-port", command.pagePort ?? 0)] {
            guard port == 0 || FreePorts.isFree(port) else {
                throw UpError("\(option): \(port) is taken on this machine; choose another, or 0 for any")
            }
        }
    }

    private func choosePorts() throws -> SuiteLayout.Ports {
        let free = try FreePorts.take(9)
        let gateway = command.port == 0 ? free[5] : command.port
        let isPageFree = gateway != Self.pagePort && FreePorts.isFree(Self.pagePort)
        let wanted = command.pagePort ?? (isPageFree ? Self.pagePort : 0)
        return SuiteLayout.Ports(
            gateway: gateway, issuer: free[0], apns: free[1], apnsSandbox: free[2], apnsManagement: free[7],
            apnsSandboxManagement: free[8], apnsControl: free[3], provider: free[4],
            lab: wanted == 0 ? free[6] : wanted)
    }

    private func waitUntilReady(_ service: SupervisedService, _ http: HTTPClient) async throws {
        guard let url = service.readyURL else { return }
        let begun = ContinuousClock.now
        var said = false
        while true {
            let answer = try? await http.send(HTTPClientRequest(url: url, timeout: .seconds(2)))
            if answer?.status == 200 { return }
            try await Task.sleep(for: .milliseconds(100))
            if !said, .now - begun > .seconds(2) {
                said = true
                Output.error("waiting for \(service.name) (its log: \(service.logFile))")
            }
            if .now - begun > .seconds(60) {
                throw UpError("\(service.name) is not ready after 60 s; its log: \(service.logFile)")
            }
        }
    }

    private func writeEndpoints(_ layout: SuiteLayout) throws -> Endpoints {
        let endpoints = Endpoints(
            gateway: layout.gatewayURL, issuer: layout.issuerURL, apnsControl: layout.controlURL,
            provider: layout.providerURL, apns: layout.apnsURL, apnsManagement: layout.apnsManagementURL,
            lab: command.headless ? nil : layout.labURL,
            databaseURL: layout.databaseURL, runDirectory: layout.state.run, secrets: layout.secrets.folder,
            logs: layout.state.logs, health: layout.ports.health.mapValues { "http://127.0.0.1:\($0)" })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try TextFile.write(String(decoding: try encoder.encode(endpoints), as: UTF8.self), to: layout.state.endpoints)
        return endpoints
    }

    private static func report(_ event: Supervisor.Event, _ state: StateFolder) {
        switch event {
        case .started(let service, let pid):
            // The file is for people and tests that signal one service; the suite does not read it.
            try? TextFile.write("\(pid)\n", to: "\(state.run)/\(service.name).pid")
        case .died(let service, _, let status, let wait):
            if let wait { Output.error("\(service) ended with \(status); starting it again in \(wait)") }
        case .misconfigured: break
        }
    }

    private static func conclude(_ ending: Ending, unclean: [String], logs: String) -> Int32 {
        if !unclean.isEmpty { Output.error("Did not stop cleanly: \(unclean.joined(separator: ", ")); logs: \(logs)") }
        switch ending {
        case .matchOver(let isGood):
            return isGood && unclean.isEmpty ? 0 : 1
        case .asked:
            Output.error("Stopped; no process is left. Logs: \(logs)")
            return unclean.isEmpty ? 0 : 1
        case .misconfigured(let line):
            Output.error(line)
            return Supervisor.misconfigured
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// The folder of this executable; the others of the suite are built and installed beside it.
    static func ownFolder() -> String {
        let path =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" }
    }
}
