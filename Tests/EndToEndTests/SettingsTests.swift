import FoundationEssentials
import Postgres
import Processes
import SightscreenModels
import TestKit
import Testing
import Tokens

/// A setting that is missing or malformed stops its service with one line that names it, and exit status 78.
@Suite struct SettingsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var service: String
        var setting: String
        /// Nil: it is left out.
        var value: String?
        var testDescription: String { "\(service) \(setting)=\(value ?? "(missing)")" }
    }

    /// A complete environment for each service; none of the hosts is ever reached.
    static func complete(_ service: String, folder: String) -> [String: String] {
        var settings = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "SIGHTSCREEN_RUN_DIR": folder, "HEALTH_PORT": "0",
            "DATABASE_URL": "postgresql://nobody@/nothing?host=\(folder)",
        ]
        switch service {
        case "score-poller", "orchestrator": settings["SPORTMONKS_API_TOKEN"] = "token"
        case "api-gateway":
            settings["COGNITO_ISSUER"] = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example"
            settings["COGNITO_CLIENT_ID"] = "client"
            settings["GATEWAY_PORT"] = "0"
            settings["TOKEN_KEY_FILE"] = TestTokenKeys.path
        case "la-coordinator":
            settings["TOKEN_KEY_FILE"] = TestTokenKeys.path
            settings["APNS_KEY_FILE"] = "\(folder)/key.p8"
            settings["APNS_KEY_ID"] = "ABCDE12345"
            settings["APNS_TEAM_ID"] = "ABCDE12345"
            settings["APNS_BUNDLE_ID"] = "com.example.app"
        case "device-lab":
            settings["DATABASE_URL"] = nil
            settings["SIGHTSCREEN_STAND_INS"] = "1"
            settings["DEVICE_LAB_PORT"] = "0"
        default: break
        }
        return settings
    }

    static let services = ["api-gateway", "orchestrator", "score-poller", "event-bus", "la-coordinator"]
    /// These need no database.
    static let standIns = ["device-lab"]

    static let cases: [Case] =
        services.flatMap { service in
            [
                Case(service: service, setting: "DATABASE_URL", value: nil),
                Case(service: service, setting: "DATABASE_URL", value: "not a url"),
                Case(
                    service: service, setting: "DATABASE_URL",
                    value: "postgresql://u:p@db.example.com/x?sslmode=prefer"),
                Case(
                    service: service, setting: "DATABASE_URL",
                    value: "postgresql://u@localhost/x?target_session_attrs=standby"),
            ]
        }
        + (services + standIns).flatMap { service in
            [
                Case(service: service, setting: "LOG_LEVEL", value: "loud"),
                Case(service: service, setting: "LOG_FORMAT", value: "xml"),
                Case(service: service, setting: "HEALTH_PORT", value: "70000"),
                Case(service: service, setting: "HEALTH_HOST", value: "a b"),
                Case(service: service, setting: "HEALTH_HOSTS", value: "metrics.example.com,a b"),
                Case(service: service, setting: "INSTANCE", value: "a/b"),
                Case(service: service, setting: "SIGHTSCREEN_STAND_INS", value: "perhaps"),
                Case(service: service, setting: "SIGHTSCREEN_RUN_DIR", value: "/" + String(repeating: "x", count: 120)),
                Case(service: service, setting: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "localhost:4317"),
                Case(service: service, setting: "OTEL_SERVICE_NAME", value: "two words"),
                Case(service: service, setting: "TRACE_SAMPLE_RATIO", value: "1.5"),
            ]
        } + [
            Case(service: "score-poller", setting: "SPORTMONKS_API_TOKEN", value: nil),
            Case(service: "score-poller", setting: "SPORTMONKS_API_TOKEN", value: "a b"),
            Case(service: "score-poller", setting: "POLL_GROUPS", value: "ipl"),
            Case(service: "score-poller", setting: "POLL_GROUPS", value: "a=1,2;b=2"),
            Case(service: "la-coordinator", setting: "PUSH_TREADS", value: "4"),
            Case(service: "score-poller", setting: "LEASE_DURATION", value: "x"),
            Case(service: "score-poller", setting: "RECORD_DIR", value: "/nonexistent"),
            Case(service: "orchestrator", setting: "SPORTMONKS_API_TOKEN", value: "a b"),
            Case(service: "orchestrator", setting: "SPORTMONKS_URL", value: "http://example.com"),
            Case(service: "orchestrator", setting: "SPORTMONKS_HOURLY_LIMIT", value: "many"),
            Case(service: "orchestrator", setting: "LEASE_DURATION", value: "x"),
            Case(service: "event-bus", setting: "SUPER_OVER_WAIT", value: "x"),
            Case(service: "event-bus", setting: "SILENCE_AFTER", value: "1s"),
            Case(service: "event-bus", setting: "ALERT_FRESHNESS", value: "x"),
            Case(service: "la-coordinator", setting: "APNS_KEY_ID", value: "ABC/DEF"),
            Case(service: "la-coordinator", setting: "APNS_TEAM_ID", value: "ABC DEF"),
            Case(service: "la-coordinator", setting: "APNS_BUNDLE_ID", value: "com example"),
            Case(service: "la-coordinator", setting: "APNS_SANDBOX_URL", value: "https://push.example.com"),
            Case(service: "la-coordinator", setting: "APNS_ATTRIBUTES_TYPE", value: "Live Activity"),
            Case(service: "la-coordinator", setting: "APNS_MANAGE_URL", value: "https://push.example.com"),
            Case(service: "la-coordinator", setting: "APNS_SANDBOX_MANAGE_URL", value: "http://localhost"),
            Case(service: "la-coordinator", setting: "BROADCAST", value: "on"),
            Case(service: "la-coordinator", setting: "CHANNEL_SWEEP", value: "x"),
            Case(service: "orchestrator", setting: "BROADCAST", value: "on"),
            Case(service: "orchestrator", setting: "CHANNEL_MIN_FOLLOWERS", value: "0"),
            Case(service: "la-coordinator", setting: "LEASE_DURATION", value: "x"),
            Case(service: "la-coordinator", setting: "KEEPALIVE_INTERVAL", value: "x"),
            Case(service: "la-coordinator", setting: "AUDIT_INTERVAL", value: "0s"),
            Case(service: "api-gateway", setting: "COGNITO_CLIENT_ID", value: ","),
            Case(service: "api-gateway", setting: "GATEWAY_HOST", value: "a b"),
            Case(service: "api-gateway", setting: "RATE_LIMIT_FACTOR", value: "-1"),
            Case(service: "api-gateway", setting: "REPLAY_URL", value: "http://127.0.0.1:8092"),
            Case(service: "api-gateway", setting: "TRUSTED_PROXIES", value: "10.0.0.0/33"),
            Case(service: "api-gateway", setting: "MIN_APP_VERSION", value: "+1.2"),
            Case(service: "api-gateway", setting: "STORE_URL", value: "nowhere"),
            Case(service: "api-gateway", setting: "FOLLOW_RETENTION", value: "x"),
            Case(service: "api-gateway", setting: "START_LEASE", value: "x"),
            Case(service: "api-gateway", setting: "DISMISS_AFTER", value: "x"),
            Case(service: "score-poller", setting: "SPORTMONKS_URL", value: "http://example.com"),
            Case(service: "score-poller", setting: "SPORTMONKS_HOURLY_LIMIT", value: "many"),
            Case(service: "score-poller", setting: "POLL_INTERVAL", value: "abc"),
            Case(service: "score-poller", setting: "MARQUEE_POLL_INTERVAL", value: "-1s"),
            Case(service: "score-poller", setting: "MARQUEE_LEAGUES", value: "ipl"),
            Case(service: "score-poller", setting: "SUSPENDED_POLL_INTERVAL", value: "60"),
            Case(service: "orchestrator", setting: "SPORTMONKS_API_TOKEN", value: nil),
            Case(service: "orchestrator", setting: "ORCHESTRATOR_INTERVAL", value: "soon"),
            Case(service: "orchestrator", setting: "START_LEAD", value: "x"),
            Case(service: "orchestrator", setting: "LOGO_HOSTS", value: "127.0.0.1"),
            Case(service: "orchestrator", setting: "START_FALLBACK_WAIT", value: "x"),
            Case(service: "orchestrator", setting: "ACTIVITY_RENEW_AFTER", value: "9h"),
            Case(service: "orchestrator", setting: "RESULT_HOLD", value: "x"),
            Case(service: "orchestrator", setting: "FOLLOW_RETENTION", value: "x"),
            Case(service: "event-bus", setting: "RESULT_HOLD", value: "x"),
            Case(service: "event-bus", setting: "KEEPALIVE_INTERVAL", value: "x"),
            Case(service: "event-bus", setting: "LEASE_DURATION", value: "x"),
            Case(service: "la-coordinator", setting: "APNS_KEY_FILE", value: nil),
            Case(service: "la-coordinator", setting: "TOKEN_KEY_FILE", value: nil),
            Case(service: "la-coordinator", setting: "TOKEN_KEY_FILE", value: "/proc/self/stat"),
            Case(service: "api-gateway", setting: "TOKEN_KEY_FILE", value: nil),
            Case(service: "api-gateway", setting: "TOKEN_KEY_FILE", value: "/nonexistent"),
            Case(service: "la-coordinator", setting: "APNS_KEY_FILE", value: "/nonexistent.p8"),
            Case(service: "la-coordinator", setting: "APNS_KEY_ID", value: nil),
            Case(service: "la-coordinator", setting: "APNS_TEAM_ID", value: nil),
            Case(service: "la-coordinator", setting: "APNS_BUNDLE_ID", value: nil),
            Case(service: "la-coordinator", setting: "APNS_URL", value: "https://push.example.com"),
            Case(service: "la-coordinator", setting: "APNS_CA_FILE", value: "/nonexistent.pem"),
            Case(service: "la-coordinator", setting: "APNS_TOKEN_MIN_AGE", value: "x"),
            Case(service: "la-coordinator", setting: "START_LEASE", value: "x"),
            Case(service: "la-coordinator", setting: "START_RATE", value: "-3"),
            Case(service: "la-coordinator", setting: "PUSH_THREADS", value: "0"),
            Case(service: "la-coordinator", setting: "ALERT_FRESHNESS", value: "x"),
            Case(service: "la-coordinator", setting: "DISMISS_AFTER", value: "x"),
            Case(service: "api-gateway", setting: "COGNITO_ISSUER", value: nil),
            Case(service: "api-gateway", setting: "COGNITO_ISSUER", value: "http://127.0.0.1:9"),
            Case(service: "api-gateway", setting: "COGNITO_CLIENT_ID", value: nil),
            Case(service: "api-gateway", setting: "COGNITO_JWKS_URL", value: "ftp://x"),
            Case(service: "api-gateway", setting: "COGNITO_JWKS_URL", value: "http://issuer.example.com/keys"),
            Case(service: "api-gateway", setting: "ADMIN_API_KEY", value: "thirty-one-characters-are-short"),
            Case(service: "api-gateway", setting: "ADMIN_API_KEY", value: "a space in it, and long enough otherwise"),
            Case(service: "api-gateway", setting: "ADMIN_API_KEY_FILE", value: "/nonexistent"),
            Case(service: "api-gateway", setting: "GATEWAY_PORT", value: "x"),
            Case(service: "api-gateway", setting: "MAINTENANCE_MODE", value: "x"),
            Case(service: "device-lab", setting: "SIGHTSCREEN_STAND_INS", value: nil),
            Case(service: "device-lab", setting: "SIGHTSCREEN_STAND_INS", value: "0"),
            Case(service: "device-lab", setting: "DEVICE_LAB_HOST", value: "a b"),
            Case(service: "device-lab", setting: "DEVICE_LAB_PORT", value: "70000"),
            Case(service: "device-lab", setting: "DEVICE_LAB_NAMES", value: "http://lab"),
            Case(service: "device-lab", setting: "DEVICE_LAB_PROVIDER_URL", value: "nowhere"),
            Case(service: "device-lab", setting: "DEVICE_LAB_APNS_URL", value: "nowhere"),
            Case(service: "device-lab", setting: "DEVICE_LAB_STAGES", value: "event-bus"),
            Case(service: "device-lab", setting: "DEVICE_LAB_GATEWAY_URL", value: "nowhere"),
            Case(service: "device-lab", setting: "DEVICE_LAB_ISSUER_URL", value: "nowhere"),
            Case(service: "device-lab", setting: "DEVICE_LAB_PHONES", value: "0"),
            Case(service: "device-lab", setting: "DEVICE_LAB_SPEED", value: "slow"),
            Case(service: "device-lab", setting: "DEVICE_LAB_TAPE_SEED", value: "-1"),
            Case(service: "device-lab", setting: "DEVICE_LAB_VARIANT", value: "perfect"),
            Case(service: "device-lab", setting: "DEVICE_LAB_MATCH", value: "../secrets"),
            Case(service: "device-lab", setting: "DATABASE_URL", value: "not a url"),
        ]

    @Test(arguments: cases) func stopsWithOneLineThatNamesIt(_ example: Case) async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        try Self.writeKey(to: "\(folder.path)/key.p8")
        var environment = Self.complete(example.service, folder: folder.path)
        environment[example.setting] = example.value
        let log = "\(folder.path)/log"
        let processes = RunningSuite.processes
        let pid = try await processes.start(
            Command(
                "\(RunningSuite.binaries)/\(example.service)", environment: environment, output: .file(log)))
        try await eventually("\(example.service) has stopped", within: .seconds(10)) {
            await !processes.isRunning(pid)
        }
        let status = await processes.exitStatus(of: pid)
        #expect(status == .exited(78))
        let text = Self.text(log)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 1, "\(text)")
        #expect(lines.last?.contains(example.setting) == true, "\(text)")
        #expect(lines.last?.hasPrefix("\(example.service): ") == true, "\(text)")
    }

    /// What the URL leaves open, libpq finds elsewhere.
    @Test(arguments: [
        ("postgresql:///x", ["PGHOST": "db.example.com"]),
        ("postgresql://u@localhost/x", ["PGHOSTADDR": "203.0.113.7"]),
        ("postgresql:///x?sslrootcert=FILE", ["PGHOST": "localhost,db.example.com", "PGSSLMODE": "prefer"]),
        ("postgresql://u@db.example.com/x?sslrootcert=FILE", ["PGCHANNELBINDING": "prefer"]),
        ("postgresql:///x", ["PGSERVICEFILE": "FILE", "PGSERVICE": "far"]),
        ("postgresql:///x?service=far", ["PGSERVICEFILE": "FILE"]),
        ("postgresql:///x?service=nowhere", ["PGSERVICEFILE": "FILE"]),
    ])
    func aDatabaseThatIsNotOnThisMachineNeedsTLSWhereverItIsNamed(
        _ url: String, _ more: [String: String]
    ) async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        // Any file that can be read is a certificate until a server shows its own.
        let file = folder.appending("service")
        try Data("[far]\nhost=db.example.com\nsslmode=require\n".utf8).write(to: URL(filePath: file))
        func named(_ text: String) -> String { text == "FILE" ? file : text }
        let programs = [("event-bus", []), ("sightscreen", ["migrate"]), ("sightscreen", ["inspect", "match", "1"])]
        for (place, (program, arguments)) in programs.enumerated() {
            var environment = Self.complete(program, folder: folder.path)
            environment["HOME"] = folder.path
            environment["DATABASE_URL"] = url.replacing("FILE", with: file)
            environment.merge(more.mapValues(named)) { $1 }
            let log = folder.appending("log\(place)")
            let status = try await RunningSuite.processes.run(
                Command(
                    "\(RunningSuite.binaries)/\(program)", arguments, environment: environment, output: .file(log)))
            let text = Self.text(log)
            #expect(status == .exited(78), "\(program): \(text)")
            #expect(text.split(separator: "\n").count == 1 && text.contains("DATABASE_URL: "), "\(text)")
        }
    }

    /// Whoever runs it by hand, or waits for a job, is to know in the end.
    @Test func aMigrationDoesNotWaitForEverForADatabaseThatIsNotThere() async throws {
        let there = try await PrivatePostgres.shared.makeDatabase(migrated: false)
        let none = there.replacing(/\/test_[0-9]+\?/, with: "/nowhere?")
        let away = "postgresql://me:hunter2@127.0.0.1:1/nowhere"
        try await withTemporaryDirectory { folder in
            for (place, (url, named)) in [(none, "/nowhere"), (away, "127.0.0.1:1/nowhere")].enumerated() {
                let log = folder.appending("log\(place)")
                let environment = ["PATH": "/usr/bin:/bin", "DATABASE_URL": url]
                let status = try await RunningSuite.processes.run(
                    Command(
                        "\(RunningSuite.binaries)/sightscreen", ["migrate", "--wait", "1"], environment: environment,
                        output: .file(log)))
                let text = Self.text(log)
                #expect(status == .exited(1), "\(text)")
                #expect(text.contains("\(named) cannot be used: ") && !text.contains("hunter2"), "\(text)")
            }
            let help = folder.appending("help")
            _ = try await RunningSuite.processes.run(
                Command("\(RunningSuite.binaries)/sightscreen", ["migrate", "--help"], output: .file(help)))
            #expect(Self.text(help).contains("(default: 30)"))
        }
    }

    /// Status 1, because the one that has the port may be about to end.
    @Test(arguments: [
        ("api-gateway", "GATEWAY_PORT"), ("event-bus", "HEALTH_PORT"), ("mock-sportmonks", "MOCK_SPORTMONKS_PORT"),
    ])
    func aPortThatIsTakenNamesItsSetting(_ service: String, _ setting: String) async throws {
        let other = try StubHTTPServer { _ in nil }
        defer { other.stop() }
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        var environment = Self.complete(service, folder: folder.path)
        // For the stand-in among them.
        environment["SIGHTSCREEN_STAND_INS"] = "1"
        environment["MOCK_SPORTMONKS_TAPES"] = folder.path
        environment["MOCK_SPORTMONKS_TOKEN"] = "token"
        environment[setting] = String(other.port)
        let log = folder.appending("log")
        let processes = RunningSuite.processes
        let pid = try await processes.start(
            Command("\(RunningSuite.binaries)/\(service)", environment: environment, output: .file(log)))
        try await eventually("\(service) has stopped", within: .seconds(10)) { await !processes.isRunning(pid) }
        let status = await processes.exitStatus(of: pid)
        #expect(status == .exited(1))
        let text = Self.text(log)
        let lines = text.split(separator: "\n").filter { $0.contains("The service failed") }
        #expect(lines.count == 1, "\(text)")
        #expect(
            lines.first?.contains(
                "\(setting): cannot serve at 127.0.0.1:\(other.port), because: Address already in use") == true,
            "\(text)")
    }

    /// So that a setting that comes later is tested, too.
    @Test(arguments: services + standIns) func everySettingOfTheServiceIsAmongTheCases(_ service: String) async throws {
        try await withTemporaryDirectory { folder in
            let help = folder.appending("help")
            let status = try await RunningSuite.processes.run(
                Command("\(RunningSuite.binaries)/\(service)", ["--help"], output: .file(help)))
            #expect(status.isSuccess)
            let names = Self.text(help).split(separator: "\n").compactMap { line -> String? in
                guard line.hasPrefix("  "), line.dropFirst(2).first?.isUppercase == true else { return nil }
                return String(line.dropFirst(2).prefix { $0.isUppercase || $0 == "_" || $0.isNumber })
            }
            #expect(names.count > 8, "the help lists the settings")
            for name in names {
                #expect(
                    Self.cases.contains { $0.service == service && $0.setting == name && $0.value != nil }, "\(name)")
            }
        }
    }

    /// All services of a host read one file: what is one's setting is none of the others' with a mistake in it.
    @Test(arguments: services + standIns) func settingsOfOtherServicesAreNoMistakes(_ service: String) async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        var others: Set<String> = []
        for other in Self.services + ["mock-sportmonks", "apns-simulator", "device-lab"] {
            let file = folder.appending(other)
            _ = try await RunningSuite.processes.run(
                Command("\(RunningSuite.binaries)/\(other)", ["--settings"], output: .file(file)))
            struct Named: Decodable { var name: String }
            let names = try JSONDecoder().decode([Named].self, from: Data(Self.text(file).utf8)).map(\.name)
            others.formUnion(names + names.map { "\($0)_FILE" })
        }
        let log = folder.appending("log")
        // The first mistake that is found ends it before a setting is read: here that is the last of all.
        let environment = Dictionary(uniqueKeysWithValues: others.map { ($0, "nonsense") })
            .merging(["ZLOG_LEVEL": "info"]) { $1 }
        let status = try await RunningSuite.processes.run(
            Command("\(RunningSuite.binaries)/\(service)", environment: environment, output: .file(log)))
        #expect(status == .exited(78))
        #expect(Self.text(log).contains("ZLOG_LEVEL: "), "\(Self.text(log))")
    }

    @Test func waitsForPostgreSQLAndGoesOnWhenItAppears() async throws {
        let postgres = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        let url = try await postgres.makeDatabase()
        await postgres.stop()
        try await withTemporaryDirectory { folder in
            try Self.writeKey(to: folder.appending("key.p8"))
            let processes = RunningSuite.processes
            var pids: [String: Int32] = [:]
            // As long as a name may be.
            let instance = String(repeating: "i", count: 32)
            for service in Self.services {
                var environment = Self.complete(service, folder: folder.path)
                environment["DATABASE_URL"] = url
                environment["INSTANCE"] = instance
                pids[service] = try await processes.start(
                    Command(
                        "\(RunningSuite.binaries)/\(service)", environment: environment,
                        output: .file(folder.appending("\(service).log"))))
            }
            for service in Self.services {
                try await eventually("\(service) says that it waits for PostgreSQL", within: .seconds(15)) {
                    Self.text(folder.appending("\(service).log")).contains("PostgreSQL")
                }
            }
            // Long enough for a service that gives up to have done so.
            try await Task.sleep(for: .seconds(1))
            for (service, pid) in pids { #expect(await processes.isRunning(pid), "\(service) waits") }
            try await postgres.start()
            for service in Self.services {
                try await eventually("\(service) goes on", within: .seconds(20)) {
                    Self.text(folder.appending("\(service).log")).contains("PostgreSQL is reached")
                }
            }
            try await Self.checkNames(of: Self.services.map { "\($0)/\(instance)" }, url: url)
            for (service, pid) in pids {
                let status = await processes.stop(pid, patience: .seconds(5))
                #expect(status == .exited(0), "\(service) drains and exits within 5 s of SIGTERM")
            }
        }
        await postgres.stop()
    }

    /// Which process a connection is of can be seen in the database.
    private static func checkNames(of processes: [String], url: String) async throws {
        let pool = try PostgresPool(url: url, size: 1, applicationName: "tests")
        let names = processes + processes.filter { $0.hasPrefix("la-coordinator/") }.map { "\($0) holds" }
        for name in names {
            try await eventually("connections are named \(name)") {
                let found = try await pool.query(
                    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
                    [.text(name)])
                return !found.isEmpty
            }
        }
        await pool.close()
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A key of the right kind that belongs to nobody.
    static func writeKey(to path: String) throws {
        try Data(try ES256Signer.generatePEM().utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
