public import Postgres

/// Brings the schema up to date. Several may run at once: they take turns, and the later ones find nothing to do.
public struct Migrator: Sendable {
    /// Any number that no other advisory lock of ours uses.
    private static let lock: Int64 = 0x5369_6768_7473

    private let pool: PostgresPool
    private let migrations: [Migration]

    public init(pool: PostgresPool, migrations: [Migration] = Migration.all) {
        self.pool = pool
        self.migrations = migrations
    }

    /// Runs what has not run yet, each script in a transaction with its record.
    ///
    /// - Returns: the names of those that ran, in order.
    /// - Throws: `StoreError.editedMigration` before anything is changed.
    public func migrate() async throws -> [String] {
        try await pool.withConnection { connection in
            // Migrations may take longer than queries are allowed to, and wait for their turn.
            try await connection.execute("SET statement_timeout = 0")
            try await connection.execute("SET lock_timeout = '120s'")
            _ = try await connection.query(
                "SELECT pg_advisory_lock($1)", [.int(Self.lock)], deadline: .seconds(120))
            try await connection.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    name text PRIMARY KEY,
                    checksum bigint NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
                )
                """)
            let applied = try await Self.applied(connection)
            try check(applied)
            var ran: [String] = []
            for migration in migrations where applied[migration.name] == nil {
                // The name is one of our own file names, the checksum a number.
                try await connection.script(
                    """
                    BEGIN;
                    \(migration.sql)
                    ;
                    INSERT INTO schema_migrations (name, checksum) VALUES ('\(migration.name)', \(migration.checksum));
                    COMMIT;
                    """, deadline: .seconds(600))
                ran.append(migration.name)
            }
            return ran
        }
    }

    /// Whether every migration this program knows has run. A newer schema counts as current: migrations only add.
    ///
    /// - Throws: `StoreError.editedMigration`.
    public func isCurrent() async throws -> Bool {
        let known = try await pool.query("SELECT to_regclass('schema_migrations') IS NOT NULL AS known")
        guard try known.first?.bool("known") == true else { return false }
        let rows = try await pool.query("SELECT name, checksum FROM schema_migrations")
        let applied = try Self.read(rows)
        try check(applied)
        return migrations.allSatisfy { applied[$0.name] != nil }
    }

    private static func applied(_ connection: PostgresTransaction) async throws -> [String: Int64] {
        try read(try await connection.query("SELECT name, checksum FROM schema_migrations"))
    }

    private static func read(_ rows: [PostgresRow]) throws -> [String: Int64] {
        var applied: [String: Int64] = [:]
        for row in rows { applied[try row.string("name")] = try row.int64("checksum") }
        return applied
    }

    private func check(_ applied: [String: Int64]) throws {
        for migration in migrations {
            guard let checksum = applied[migration.name], checksum != migration.checksum else { continue }
            throw StoreError(.editedMigration, "migration \(migration.name) was edited after it had run here")
        }
    }
}
