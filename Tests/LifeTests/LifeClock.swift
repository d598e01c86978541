import Activities
import Postgres
import Store
import TestKit

/// A database whose clock stands still until it is set, so that times can be compared to the second and waiting periods
/// can be met exactly. Its clock functions lie in a schema before PostgreSQL's own, which is made before the tables:
/// their defaults ask it, too.
struct LifeClock {
    private static let functions = ["clock_timestamp", "statement_timestamp", "now"]

    let pool: PostgresPool

    func set(_ now: Moment) async throws {
        for name in Self.functions {
            try await pool.execute(
                """
                CREATE OR REPLACE FUNCTION virtual.\(name)() RETURNS timestamptz LANGUAGE sql VOLATILE
                RETURN pg_catalog.to_timestamp(\(now.seconds))
                """)
        }
    }

    /// - Parameter through: what stands between the pool of the body and PostgreSQL: it is given the database's URL and
    ///   gives another.
    static func withDatabase(
        at begin: Moment, size: Int = 8, through: (String) throws -> String = { $0 },
        _ body: (PostgresPool, LifeClock) async throws -> Void
    ) async throws {
        let url = try await PrivatePostgres.shared.makeDatabase(migrated: false)
        let maker = try PostgresPool(url: url, size: 1, applicationName: "tests")
        try await maker.execute("CREATE SCHEMA virtual")
        let clock = LifeClock(pool: maker)
        try await clock.set(begin)
        // For all sessions that begin from now on; the tables are made in the first of them.
        try await maker.execute(
            """
            DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET search_path = virtual, pg_catalog', current_database());
            END $$
            """)
        let migrating = try PostgresPool(url: url, size: 1, applicationName: "tests")
        _ = try await Migrator(pool: migrating).migrate()
        await migrating.close()
        let pool = try PostgresPool(url: try through(url), size: size, applicationName: "tests")
        do {
            try await body(pool, clock)
        } catch {
            await pool.close()
            await maker.close()
            throw error
        }
        await pool.close()
        await maker.close()
    }
}
