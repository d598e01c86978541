import FoundationEssentials
import Glibc
import HTTPClient
import OperatorTool
import Postgres
import Processes
import Reactor
import SightscreenModels
import TestKit

/// The real executables under `sightscreen up`, with a state folder and ports of their own.
final class RunningSuite: Sendable {
    let endpoints: Endpoints
    let http: HTTPClient
    let database: PostgresPool
    let tape: TapeControl
    let apns: SimulatorClient
    private let state: String
    private let supervisor: Int32
    private let processes: ProcessTable

    /// Where `swift build` put the executables: beside the test bundle.
    static let binaries: String = {
        let path =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" }
    }()

    static let checkout: String = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }

    /// Children of tests die with the thread that started them: this one lasts as long as the process.
    static let processes = ProcessTable(reactor: Reactor(name: "suite"))

    /// - Parameter settings: of the environment of `sightscreen up`.
    static func start(speed: Double, settings: [String: String] = [:]) async throws -> RunningSuite {
        var template = Array("/tmp/ss-e2e-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ProcessError("no temporary folder") }
        let state = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // PostgreSQL's user must be able to pass through.
        chmod(state, 0o711)
        let log = "\(state)/up.log"
        let pid = try await processes.start(
            Command(
                "\(binaries)/sightscreen",
                [
                    "up", "--headless", "--port", "0", "--speed", String(speed),
                    "--tapes", "\(checkout)/Tests/Fixtures/matches",
                ],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "SIGHTSCREEN_STATE_DIR": state]
                    .merging(settings) { $1 },
                output: .file(log),
                deathSignal: SIGTERM))
        let begun = ContinuousClock.now
        while true {
            if let data = FileManager.default.contents(atPath: "\(state)/endpoints.json"),
                let endpoints = try? JSONDecoder().decode(Endpoints.self, from: data)
            {
                return try RunningSuite(endpoints: endpoints, state: state, supervisor: pid, processes: processes)
            }
            guard await processes.isRunning(pid), .now - begun < .seconds(90) else {
                let text = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
                _ = await processes.stop(pid, patience: .seconds(10))
                throw ProcessError("the suite did not start:\n\(text)")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private init(endpoints: Endpoints, state: String, supervisor: Int32, processes: ProcessTable) throws {
        self.endpoints = endpoints
        self.state = state
        self.supervisor = supervisor
        self.processes = processes
        http = HTTPClient(configuration: .init(allowHTTP: true))
        database = try PostgresPool(url: endpoints.databaseURL, size: 2, applicationName: "end-to-end")
        tape = TapeControl(base: endpoints.provider, http: http)
        apns = SimulatorClient(base: endpoints.apnsControl, http: http)
    }

    /// Runs a test on a suite and ends the suite, whatever the test does.
    static func with(
        speed: Double, settings: [String: String] = [:], _ body: (RunningSuite) async throws -> Void
    ) async throws {
        let suite = try await start(speed: speed, settings: settings)
        do {
            try await body(suite)
        } catch {
            _ = await suite.stop()
            throw error
        }
        let status = await suite.stop()
        guard status.isSuccess else {
            throw ProcessError("the suite did not stop cleanly (\(status)):\n\(suite.log("../up"))")
        }
    }

    /// SIGTERM to the supervisor, which ends everything in order.
    func stop() async -> ExitStatus {
        await database.close()
        let status = await processes.stop(supervisor, patience: .seconds(60))
        if status.isSuccess { try? FileManager.default.removeItem(atPath: state) }
        return status
    }

    func log(_ service: String) -> String {
        FileManager.default.contents(atPath: "\(endpoints.logs)/\(service).log").map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""
    }

    func pid(of service: String) -> Int32? {
        FileManager.default.contents(atPath: "\(endpoints.runDirectory)/\(service).pid").flatMap {
            Int32(String(decoding: $0, as: UTF8.self).filter(\.isNumber))
        }
    }

    /// Kills one process of the suite, as the kernel would for want of memory.
    func killHard(_ service: String) throws {
        guard let pid = pid(of: service), kill(pid, SIGKILL) == 0 else {
            throw ProcessError("\(service) does not run")
        }
    }

    /// Kills one service after the other, each when the one before is back and some balls have been bowled.
    func killEach(receiving fleet: PhoneFleet) async throws {
        for service in ["la-coordinator", "event-bus", "score-poller", "orchestrator", "api-gateway"] {
            let before = pid(of: service)
            try killHard(service)
            try await eventually("\(service) is back", within: .seconds(15)) {
                try await fleet.receive()
                guard let now = pid(of: service), now != before else { return false }
                let ready = try? await http.send(
                    .init(url: "\(endpoints.health[service] ?? "")/health/ready", timeout: .seconds(2)))
                return ready?.status == 200
            }
            for _ in 0..<30 {
                try await fleet.receive()
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    func bearer(_ user: String) throws -> String {
        try DevelopmentIdentity(folder: endpoints.secrets).token(
            user: user, isAdmin: false, issuer: endpoints.issuer, clientID: DevelopmentSecrets.clientID)
    }

    /// Phones of users, ready to register.
    func fleet(_ users: [(name: String, phones: Int)], listeners: Set<String> = []) throws -> PhoneFleet {
        PhoneFleet(
            users: try users.map { ($0.name, try bearer($0.name), $0.phones) }, listeners: listeners,
            gateway: GatewayClient(base: endpoints.gateway, http: http), apns: apns)
    }

    /// The newest committed display state of a match, with its version.
    func committed(_ match: MatchID) async throws -> ContentState? {
        let rows = try await database.query(
            "SELECT content_state FROM active_matches WHERE match_id = $1 AND content_state IS NOT NULL",
            [.int(match.rawValue)])
        guard let row = rows.first else { return nil }
        return try JSONDecoder().decode(ContentState.self, from: Data(try row.string("content_state").utf8))
    }

    /// Loads a tape, registers the phones, and lets every user follow once the schedule has the match.
    func prepare(
        _ match: Int64, _ fleet: PhoneFleet, speed: Double, alerts: [String: AlertLevel] = [:]
    ) async throws -> MatchID {
        try await fleet.register()
        let id = try await tape.load(String(match), speed: speed)
        let client = GatewayClient(base: endpoints.gateway, http: http)
        let token = try bearer("asha")
        try await eventually("the schedule has match \(id)", within: .seconds(30)) {
            try await client.knows(id, bearer: token)
        }
        try await fleet.follow(id, alerts: alerts)
        return id
    }
}
