import FoundationEssentials
import Postgres
import Synchronization
import TestKit
import Testing

@testable import Store

@Suite struct MigratorTests {
    @Test func runsEachMigrationOnceHoweverManyStartAtOnce() async throws {
        try await withDatabase(migrated: false) { pool in
            let migrator = Migrator(pool: pool)
            #expect(try await migrator.isCurrent() == false)
            let ran = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<3 { group.addTask { try await migrator.migrate() } }
                var all: [String] = []
                for try await names in group { all += names }
                return all
            }
            #expect(ran == Migration.all.map(\.name))
            #expect(try await migrator.isCurrent())
            #expect(try await migrator.migrate() == [])
        }
    }

    @Test func refusesAMigrationThatWasEditedAfterItHadRun() async throws {
        try await withDatabase { pool in
            try await pool.execute("UPDATE schema_migrations SET checksum = checksum + 1")
            await #expect(throws: StoreError.self) { _ = try await Migrator(pool: pool).migrate() }
            await #expect(throws: StoreError.self) { _ = try await Migrator(pool: pool).isCurrent() }
        }
    }

    private final class Said: Sendable {
        private let said = Mutex<[String]>([])
        func add(_ line: String) { said.withLock { $0.append(line) } }
        var lines: [String] { said.withLock { $0 } }
    }

    private static let altering = Migration("m9999_test", Array("ALTER TABLE leases ADD COLUMN test int".utf8))

    /// What waits for a table's lock for two seconds fails: the pool's connections are set so.
    @Test func whoWritesIsNotHeldUpByAMigrationThatWaitsForAReader() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let migrator = Migrator(pool: pool, migrations: Migration.all + [Self.altering])
            let said = Said()
            let migrating = try await pool.withConnection { reader in
                try await reader.script("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT 1 FROM leases")
                let migrating = Task { try await migrator.migrate { said.add($0) } }
                var writes = 0
                try await eventually("some writes met the migration, and it said that it waits") {
                    let waits = "SELECT 1 FROM pg_locks WHERE relation = 'leases'::regclass AND NOT granted"
                    if try await !pool.query(waits).isEmpty {
                        _ = try await LeaseStore(pool: pool).acquire(
                            [LeaseName("one")], holder: "a/1", duration: .seconds(8))
                        writes += 1
                    }
                    return writes > 1 && !said.lines.isEmpty
                }
                try await reader.execute("COMMIT")
                return migrating
            }
            #expect(try await migrating.value == ["m9999_test"])
            #expect(said.lines.count == 1)
            let line = "migration m9999_test waits for its tables; the oldest transaction is \"tests\" (pid "
            #expect(said.lines.first?.hasPrefix(line) == true)
            #expect(try await pool.query("SELECT test FROM leases").count == 1)
        }
    }

    @Test func aMigrationThatFindsNoMomentNamesWhoHoldsItUp() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let migrator = Migrator(pool: pool, migrations: Migration.all + [Self.altering], patience: .zero)
            try await pool.withConnection { reader in
                try await reader.script("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT 1 FROM leases")
                let error = await #expect(throws: StoreError.self) { try await migrator.migrate() }
                #expect(error?.code == .tableInUse)
                #expect(error?.message.contains("is \"tests\" (pid ") == true)
                #expect(error?.message.contains("\n") == false)
            }
            #expect(try await migrator.migrate() == ["m9999_test"])
        }
    }

    @Test func eachScriptMayRunTwice() async throws {
        try await withDatabase { pool in
            try await pool.execute("DELETE FROM schema_migrations")
            let ran = try await Migrator(pool: pool).migrate()
            #expect(ran == Migration.all.map(\.name))
        }
    }

    /// What stood in words only is read from them once; an older event-bus goes on beside it, in whose rows nothing
    /// stands.
    @Test func whereAMatchStandsIsReadFromTheWordsOnce() async throws {
        try await withDatabase { pool in
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, version, display_state, at_stumps, content_state)
                SELECT n, 5, states[n], n = 3, CASE n WHEN 2 THEN '{"expanded":{"status":"Lunch"}}'
                    WHEN 5 THEN '{"expanded":{"status":"Super over"}}' WHEN 6 THEN 'not JSON' END
                FROM (SELECT ARRAY['live', 'live', 'live', 'inningsBreak', 'live', 'suspended', 'completed'] AS states)
                    AS s, generate_series(1, 7) AS n
                """)
            try await pool.execute(
                """
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority)
                SELECT n, version, version, '{}', 5 FROM generate_series(1, 7) AS n, generate_series(4, 5) AS version
                """)
            try await pool.execute("DELETE FROM schema_migrations WHERE name = 'm0018_phase'")
            _ = try await Migrator(pool: pool).migrate()
            let rows = try await pool.query(
                "SELECT phase || ' ' || is_break AS stands FROM match_updates WHERE version = 5 ORDER BY match_id")
            #expect(
                try rows.map { try $0.string("stands") } == [
                    "innings false", "lunch true", "stumps true", "inningsBreak true", "innings false",
                    "interrupted true", "finished false",
                ])
            let older = try await pool.query("SELECT 1 FROM match_updates WHERE version = 4 AND is_break IS NULL")
            #expect(older.count == 7)
        }
    }

    @Test func knowsEveryFileInTheFolder() throws {
        // …/Tests/StoreTests/MigratorTests.swift → …/Shared/Store/Migrations
        let root = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = "/\(root)/Shared/Store/Migrations"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(files == Migration.all.map { "\($0.name).sql" })
        for migration in Migration.all {
            let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(migration.name).sql"))
            #expect(migration.sql == String(decoding: bytes, as: UTF8.self))
        }
    }
}
