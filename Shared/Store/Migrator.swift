package import Postgres

/// Brings the schema up to date. Several migrators may run at once: they take turns, and the later ones find nothing to
/// do.
public struct Migrator: Sendable {
    /// The key of the migrators' advisory lock; no other advisory lock of ours uses it.
    private static let lock: Int64 = 0x5369_6768_7473
    /// The longest time to wait for another migrator, longer than its patience.
    private static let turnMax = Duration.seconds(900)
    /// The pause between tries of a script, in which statements that queued behind it are served.
    private static let pause = Duration.seconds(2)

    private let pool: PostgresPool
    private let migrations: [Migration]
    private let patience: Duration

    /// - Parameter patience: how long a script is retried whose tables are in use.
    package init(
        pool: PostgresPool, migrations: [Migration] = Migration.all, patience: Duration = .seconds(300)
    ) {
        self.pool = pool
        self.migrations = migrations
        self.patience = patience
    }

    /// Runs the migrations that have not run yet, each in a transaction with its record.
    ///
    /// - Parameter onWaiting: called once for a script whose tables are in use; its text names the oldest transaction.
    /// - Returns: the names of the migrations that ran, in order.
    /// - Throws: `StoreError.editedMigration` before anything is changed; `.tableInUse` when the patience is over.
    public func migrate(onWaiting: (String) -> Void = { _ in }) async throws -> [String] {
        try await pool.withConnection { connection in
            // Migrations may take longer than queries are allowed to, and wait for their turn.
            try await connection.execute("SET statement_timeout = 0")
            try await connection.execute("SET lock_timeout = 0")
            _ = try await connection.query("SELECT pg_advisory_lock($1)", [.int(Self.lock)], deadline: Self.turnMax)
            // All statements that want a table queue behind one that waits for it, renewals of leases among them; so
            // the wait is short.
            try await connection.execute("SET lock_timeout = '1s'")
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
                try await run(migration, connection, onWaiting)
                ran.append(migration.name)
            }
            return ran
        }
    }

    /// Returns whether every migration that this version knows has run. A newer schema counts as current, because
    /// migrations only add.
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

    /// Runs one migration, and retries until its tables are free for a moment.
    private func run(
        _ migration: Migration, _ connection: PostgresTransaction, _ onWaiting: (String) -> Void
    ) async throws {
        let deadline = ContinuousClock.now + patience
        var isWaiting = false
        while true {
            do {
                // Both values are safe in SQL: the name is one of our own file names, the checksum a number.
                return try await connection.script(
                    """
                    BEGIN;
                    \(migration.sql)
                    ;
                    INSERT INTO schema_migrations (name, checksum) VALUES ('\(migration.name)', \(migration.checksum));
                    COMMIT;
                    """, deadline: .seconds(600))
            } catch let error as PostgresError where error.code == .server("55P03") || error.code == .serialization {
                try await connection.execute("ROLLBACK")
                guard .now < deadline else {
                    let holder = try await Self.oldest(connection)
                    throw StoreError(.tableInUse, "migration \(migration.name): its tables are in use\(holder)")
                }
            }
            if !isWaiting {
                isWaiting = true
                onWaiting("migration \(migration.name) waits for its tables\(try await Self.oldest(connection))")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Describes the transaction that most likely holds the tables, the oldest with a lock on one: a backup, or an
    /// operator's `psql`.
    private static func oldest(_ connection: PostgresTransaction) async throws -> String {
        let rows = try await connection.query(
            """
            SELECT coalesce(nullif(application_name, ''), backend_type, 'unknown') AS name, pid,
                floor(extract(epoch FROM clock_timestamp() - xact_start))::bigint AS age
            FROM pg_stat_activity AS activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                AND EXISTS (
                    SELECT 1 FROM pg_locks
                    WHERE pid = activity.pid AND locktype = 'relation' AND granted AND relation >= 16384)
            ORDER BY xact_start LIMIT 1
            """)
        guard let row = rows.first else { return "" }
        let (name, pid, age) = (try row.string("name"), try row.int("pid"), try row.int("age"))
        return "; the oldest transaction is \"\(name)\" (pid \(pid)), \(age) s old"
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
