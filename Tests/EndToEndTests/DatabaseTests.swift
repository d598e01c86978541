import FoundationEssentials
import HTTPClient
import OperatorTool
import Postgres
import Processes
import TestKit
import Testing

/// What the services make of a PostgreSQL that is there and does not do what they need.
@Suite struct DatabaseTests {
    private static let http = HTTPClient(configuration: .init(allowHTTP: true))

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func start(_ service: String, _ url: String, in folder: TemporaryDirectory) async throws -> Int32 {
        var environment = SettingsTests.complete(service, folder: folder.path)
        environment["DATABASE_URL"] = url
        environment["INSTANCE"] = "a"
        return try await RunningSuite.processes.start(
            Command(
                "\(RunningSuite.binaries)/\(service)", environment: environment,
                output: .file(folder.appending("\(service).log"))))
    }

    /// What `/health/ready` of a service says is missing.
    private static func missing(_ service: String, in folder: TemporaryDirectory) async throws -> String {
        let address = text(folder.appending("\(service)/a.health")).split(separator: "\n")
        let answer = try await http.send(
            .init(url: "http://\(address.first ?? "nowhere")/health/ready", timeout: .seconds(2)))
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// What a host does whose disk is full: new sessions are read-only, and the old ones are ended.
    @Test func aReadOnlySpellIsSaidAndIsOverSoonAfterItsEnd() async throws {
        let postgres = PrivatePostgres(settings: ["fsync": "on", "full_page_writes": "on"])
        let url = try await postgres.makeDatabase()
        let admin = try PostgresPool(url: try await postgres.url("postgres"), applicationName: "tests")
        let name = try #require(url.split { "/?".contains($0) }.first { $0.hasPrefix("test_") })
        try await withTemporaryDirectory { folder in
            try SettingsTests.writeKey(to: folder.appending("key.p8"))
            let pool = try PostgresPool(url: url, applicationName: "tests")
            var pids: [Int32] = []
            for service in SettingsTests.services { pids.append(try await Self.start(service, url, in: folder)) }
            // One that is cut off while it begins ends, to be started again.
            try await eventually("each has begun, and renews its row", within: .seconds(20)) {
                try await pool.query("SELECT FROM processes WHERE expires_at > started_at + interval '31 seconds'")
                    .count == SettingsTests.services.count
            }
            try await admin.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
            for service in SettingsTests.services {
                try await eventually("\(service) is not ready, and says why") {
                    try await Self.missing(service, in: folder)
                        .contains(#"{"name":"database-sessions","reason":"PostgreSQL is read-only"}"#)
                }
            }
            try await admin.execute("ALTER DATABASE \(name) RESET default_transaction_read_only")
            for service in SettingsTests.services {
                try await eventually("\(service) is ready again") {
                    try await !Self.missing(service, in: folder).contains("database")
                }
            }
            // They write again.
            let latest = try await pool.query("SELECT max(expires_at)::text AS latest FROM processes")
                .first?.string("latest")
            try await eventually("each has renewed its row", within: .seconds(20)) {
                try await pool.query(
                    "SELECT FROM processes WHERE expires_at > $1::timestamptz", [PostgresValue(latest)]
                ).count == SettingsTests.services.count
            }
            await pool.close()
            for (service, pid) in zip(SettingsTests.services, pids) {
                _ = await RunningSuite.processes.stop(pid, patience: .seconds(5))
                let log = Self.text(folder.appending("\(service).log"))
                for line in [
                    "PostgreSQL gives no session that can work", "PostgreSQL gives sessions that can work again",
                ] {
                    #expect(log.split(separator: "\n").count { $0.contains(line) } == 1, "\(service): \(log)")
                }
            }
        }
        await admin.close()
        await postgres.stop()
    }

    @Test(
        .enabled(if: Pooler.isThere, "there is no pgbouncer: deploy/test unpacks one"),
        arguments: SettingsTests.services)
    func aPoolerThatSharesSessionsEndsAServiceAtItsStart(_ service: String) async throws {
        try await Pooler.run("transaction", migrated: true) { url in
            try await withTemporaryDirectory { folder in
                try SettingsTests.writeKey(to: folder.appending("key.p8"))
                let pid = try await Self.start(service, url, in: folder)
                try await eventually("\(service) has ended", within: .seconds(20)) {
                    await !RunningSuite.processes.isRunning(pid)
                }
                #expect(await RunningSuite.processes.exitStatus(of: pid) == .exited(78))
                let lines = Self.text(folder.appending("\(service).log")).split(separator: "\n")
                #expect(
                    lines.last?.hasPrefix("\(service): DATABASE_URL: leads to a connection pooler") == true, "\(lines)")
                #expect(lines.last?.contains("pool_mode=session") == true, "\(lines)")
            }
        }
    }
}
