import FoundationEssentials
import Postgres
import Store
import TestKit
import Testing

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

    @Test func eachScriptMayRunTwice() async throws {
        try await withDatabase { pool in
            try await pool.execute("DELETE FROM schema_migrations")
            let ran = try await Migrator(pool: pool).migrate()
            #expect(ran == Migration.all.map(\.name))
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
