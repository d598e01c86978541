import FoundationEssentials
import Logging
import Metrics
import Postgres
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// The rows of `processes`.
@Suite struct PresenceTests {
    private static let silent = Logger(label: "presence") { _ in SwiftLogNoOpLogHandler() }

    private static func context(
        _ secrets: [String: String] = [:], logger: Logger = silent, clock: ProcessClock = ProcessClock()
    ) -> ServiceContext {
        let context = ServiceContext(logger: logger, readiness: Readiness(), clock: clock)
        for (name, value) in secrets { context.secrets.note(Secret(value), of: name) }
        return context
    }

    private static func instances(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query("SELECT instance FROM processes ORDER BY instance").map { try $0.string("instance") }
    }

    @Test func aProcessIsThereWhileItRuns() async throws {
        try await withDatabase { pool in
            let context = Self.context()
            let presence = Presence(pool: pool, service: "bus", instance: "a", context: context)
            try await presence.begin()
            let left = try await pool.query(
                "SELECT extract(epoch FROM expires_at - clock_timestamp())::double precision AS left FROM processes")
            #expect(try left.map { (20...30).contains(try $0.double("left")) } == [true])
            let running = Task { await presence.run() }
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await Self.instances(pool) == ["a"])
            running.cancel()
            await running.value
            #expect(try await Self.instances(pool) == [])
        }
    }

    @Test func aProcessThatRefusesToBeginLeavesNoRow() async throws {
        struct Refusal: Error {}
        try await withDatabase { (pool: PostgresPool) async throws in
            let presence = Presence(pool: pool, service: "bus", instance: "a", context: Self.context())
            await #expect(throws: Refusal.self) {
                try await presence.begin { () async throws in
                    #expect(try await Self.instances(pool) == ["a"])
                    throw Refusal()
                }
            }
            #expect(try await Self.instances(pool) == [])
        }
    }

    @Test func aDatabaseThatGoesAwayInTheCheckIsWaitedFor() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let presence = Presence(pool: pool, service: "bus", instance: "a", context: Self.context())
            let asked = Mutex(0)
            try await presence.begin { () async throws in
                let isFirst = asked.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { throw PostgresError(.outcomeUnknown, "the server has closed the connection") }
            }
            #expect(asked.withLock { $0 } == 2)
            #expect(try await Self.instances(pool) == ["a"])
        }
    }

    @Test func whatExpiredADayAgoIsDeletedByTheNextThatWrites() async throws {
        try await withDatabase { pool in
            for instance in ["a", "b", "c"] {
                try await Presence(pool: pool, service: "bus", instance: instance, context: Self.context()).begin()
            }
            try await pool.execute(
                "UPDATE processes SET expires_at = clock_timestamp() - interval '25 hours' WHERE instance IN ('a', 'b')"
            )
            // Its own row has expired, too: it stalled.
            try await Presence(pool: pool, service: "bus", instance: "b", context: Self.context()).begin()
            #expect(try await Self.instances(pool) == ["b", "c"])
            let live = try await pool.query("SELECT FROM processes WHERE expires_at > clock_timestamp()")
            #expect(live.count == 2)
        }
    }

    @Test func secretsAreComparedAndNotLearned() async throws {
        try await withDatabase { pool in
            let secrets = [("a", "s3cret-of-all"), ("b", "s3cret-of-all"), ("c", "s3cret-of-another")]
            for (instance, secret) in secrets {
                try await Presence(
                    pool: pool, service: "bus", instance: instance, context: Self.context(["API_KEY": secret])
                ).begin()
            }
            let rows = try await pool.query(
                "SELECT secrets ->> 'API_KEY' AS hash, processes::text AS line FROM processes ORDER BY instance")
            let hashes = try rows.map { try $0.string("hash") }
            #expect(hashes[0] == hashes[1] && hashes[1] != hashes[2])
            #expect(hashes.allSatisfy { $0.utf8.count == 8 })
            for row in rows { #expect(try !row.string("line").contains("s3cret")) }
        }
    }

    @Test func theSecretsOfSettingsAreNotedAndTheDatabasesIsNot() throws {
        let service = ServiceDescription(
            name: "bus", summary: "For tests.", settings: [.sportMonksToken], usesDatabase: true)
        let settings = try Settings(
            environment: [
                "DATABASE_URL": "postgresql:///x?host=/tmp", "SPORTMONKS_API_TOKEN": "token",
                "SIGHTSCREEN_RUN_DIR": "/tmp",
            ], arguments: [], service: service)
        _ = try settings.database()
        _ = try settings.tokenSecret("SPORTMONKS_API_TOKEN")
        #expect(try Array(settings.secrets.hashes(key: "k").keys) == ["SPORTMONKS_API_TOKEN"])
    }

    @Test func lastCallsAreInTheRow() async throws {
        try await withDatabase { pool in
            let context = Self.context()
            context.calls.record(.provider, status: 429)
            context.calls.record(.apns, "accepted")
            context.calls.record(.keys, status: nil)
            try await Presence(pool: pool, service: "bus", instance: "a", context: context).begin()
            let rows = try await pool.query(
                """
                SELECT calls -> 'provider' ->> 'outcome' AS provider, calls -> 'apns' ->> 'outcome' AS apns,
                    calls -> 'keys' ->> 'outcome' AS keys, calls ? 'management' AS has_management,
                    abs((calls -> 'apns' ->> 'at')::bigint - extract(epoch FROM clock_timestamp())) < 60 AS is_now
                FROM processes
                """)
            let row = try #require(rows.first)
            #expect(try row.string("provider") == "429")
            #expect(try row.string("apns") == "accepted")
            #expect(try row.string("keys") == "no answer")
            #expect(try !row.bool("has_management"))
            #expect(try row.bool("is_now"))
        }
    }

    @Test func aWriteThatFailsStopsNothingAndIsSaidOnce() async throws {
        try await withDatabase { pool in
            let lines = LogLines()
            let context = Self.context(logger: lines.logger)
            let presence = Presence(pool: pool, service: "bus", instance: "a", context: context)
            try await pool.execute("ALTER TABLE processes RENAME TO away")
            try await presence.begin()
            #expect(lines.count("The row of this process could not be renewed") == 1)
            try await pool.execute("ALTER TABLE away RENAME TO processes")
            let running = Task { await presence.run() }
            try await eventually("the row is there") { try await Self.instances(pool) == ["a"] }
            running.cancel()
            await running.value
        }
    }

    @Test func aProcessIsNotReadyWhileTheDatabaseIsAway() async throws {
        let server = PrivatePostgres()
        let pool = try PostgresPool(url: try await server.makeDatabase(), applicationName: "tests")
        let lines = LogLines()
        let context = Self.context(logger: lines.logger)
        let presence = Presence(pool: pool, service: "bus", instance: "a", context: context)
        try await presence.begin()
        let running = Task { await presence.run() }
        await server.stop(immediately: true)
        try await eventually("it is not ready", within: .seconds(20)) {
            context.readiness.missing == [.init(name: "database", reason: "PostgreSQL does not answer")]
        }
        try await server.start()
        try await eventually("it is ready", within: .seconds(20)) { context.readiness.isReady }
        try await eventually("it has its row") { try await Self.instances(pool) == ["a"] }
        running.cancel()
        await running.value
        let said = lines.all.filter { !$0.hasPrefix("debug") }
        #expect(said.count == 2, "\(said)")
        #expect(said.first?.contains("error PostgreSQL does not answer") == true, "\(said)")
        #expect(said.last?.contains("notice PostgreSQL answers again") == true, "\(said)")
        await pool.close()
        await server.stop()
    }

    /// Also while the look at the keys waits for its answer.
    @Test(arguments: [Duration.zero, .seconds(120)])
    func aProcessIsNotReadyWhileTheDatabaseIsReadOnly(keysTake: Duration) async throws {
        let admin = try PostgresPool(
            url: try await PrivatePostgres.shared.makeDatabase(migrated: false), applicationName: "admin")
        try await withDatabase { pool in
            let lines = LogLines()
            let context = Self.context(logger: lines.logger)
            let presence = Presence(
                pool: pool, service: "bus", instance: "a", context: context,
                keys: .init(
                    fingerprints: { [] },
                    trouble: {
                        try await Task.sleep(for: keysTake)
                        return nil
                    }))
            try await presence.begin()
            let running = Task { await presence.run() }
            let name = try #require(
                try await pool.query("SELECT current_database() AS name").first?.string("name"))
            try await admin.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
            // Somebody wants a connection.
            _ = try? await pool.query("SELECT 1", deadline: .milliseconds(500))
            try await eventually("it is not ready") {
                context.readiness.missing
                    == [.init(name: "database-sessions", reason: "PostgreSQL is read-only")]
            }
            try await admin.execute("ALTER DATABASE \(name) RESET default_transaction_read_only")
            try await eventually("it is ready") { context.readiness.isReady }
            running.cancel()
            await running.value
            let said = lines.all.filter { !$0.hasPrefix("debug") }
            #expect(said.count == 2, "\(said)")
            #expect(said.first?.contains("error PostgreSQL gives no session that can work") == true, "\(said)")
            #expect(said.first?.contains("default_transaction_read_only is on") == true, "\(said)")
            #expect(said.last?.contains("notice PostgreSQL gives sessions that can work again") == true, "\(said)")
        }
        await admin.close()
    }

    /// The clock of the machine is 75 s slow, 61 s fast, and right.
    @Test func aClockThatIsWrongIsMeasuredAndNotUsed() async throws {
        let registry = PrometheusRegistry()
        try await withDatabase { (pool: PostgresPool) async throws in
            try await withMetricsFactory(registry) {
                let error = Mutex(-75.0)
                let lines = LogLines()
                let clock = ProcessClock { Date().timeIntervalSince1970 + error.withLock { $0 } }
                let context = Self.context(logger: lines.logger, clock: clock)
                let presence = Presence(pool: pool, service: "bus", instance: "a", context: context)
                #expect((clock.seconds - Int(Date().timeIntervalSince1970) + 75).magnitude < 5, "nothing was read yet")
                for (wrong, reason) in [
                    (-75.0, "the clock is 75 s behind PostgreSQL's"), (61, "the clock is 61 s ahead of PostgreSQL's"),
                    (59, nil),
                ] as [(Double, String?)] {
                    error.withLock { $0 = wrong }
                    try await presence.begin()
                    #expect(context.readiness.missing == reason.map { [.init(name: "clock", reason: $0)] } ?? [])
                    #expect((clock.seconds - Int(Date().timeIntervalSince1970)).magnitude <= 1)
                    let line = try #require(
                        registry.text().split(separator: "\n").last {
                            $0.hasPrefix("sightscreen_clock_offset_seconds ")
                        })
                    let offset = try #require(line.split(separator: " ").last.flatMap { Double($0) })
                    #expect((offset - wrong).magnitude < 0.5)
                }
                #expect(lines.count("error This machine's clock is not PostgreSQL's") == 1)
                #expect(lines.count("notice This machine's clock is PostgreSQL's again") == 1)
            }
        }
    }

    @Test func aProcessThatCannotReadTokensIsNotReadyUntilItCan() async throws {
        try await withDatabase { pool in
            let trouble = Mutex<String?>(nil)
            let keys = Mutex(["1:aa"])
            let context = Self.context()
            let presence = Presence(
                pool: pool, service: "bus", instance: "a", context: context,
                keys: .init(
                    fingerprints: { keys.withLock { $0 } }, trouble: { trouble.withLock { $0 } }))
            try await presence.begin()
            let running = Task { await presence.run() }
            trouble.withLock { $0 = "a push token is encrypted by the key 2" }
            try await eventually("it is not ready") {
                context.readiness.missing
                    == [.init(name: "token-keys", reason: "a push token is encrypted by the key 2")]
            }
            // The file has the key now: the row says so at once.
            keys.withLock { $0 = ["1:aa", "2:bb"] }
            trouble.withLock { $0 = nil }
            try await eventually("it is ready, and its row has the key") {
                let rows = try await pool.query("SELECT array_to_string(token_keys, ' ') AS keys FROM processes")
                return try context.readiness.isReady && rows.map { try $0.string("keys") } == ["1:aa 2:bb"]
            }
            running.cancel()
            await running.value
        }
    }
}
