import Activities
import Postgres
import TestKit

/// A database whose clock stands still until it is set, so that times can be compared to the second and waiting periods
/// can be met exactly: the statements ask `clock_timestamp()`, and find this one before PostgreSQL's own.
struct LifeClock {
    let pool: PostgresPool

    func set(_ now: Moment) async throws {
        for name in ["clock_timestamp", "statement_timestamp", "now"] {
            try await pool.execute(
                """
                CREATE OR REPLACE FUNCTION lab.\(name)() RETURNS timestamptz LANGUAGE sql VOLATILE
                RETURN to_timestamp(\(now.seconds))
                """)
        }
    }

    static func withDatabase(
        at begin: Moment, size: Int = 8, _ body: (PostgresPool, LifeClock) async throws -> Void
    ) async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let builder = try PostgresPool(url: url, size: 1, applicationName: "tests")
        try await builder.execute("CREATE SCHEMA lab")
        try await LifeClock(pool: builder).set(begin)
        // What the tables fill in by themselves, and all sessions that begin from now on.
        try await builder.execute(
            """
            DO $$
            DECLARE d record;
            BEGIN
                FOR d IN SELECT c.oid::regclass AS name, a.attname FROM pg_attrdef f
                    JOIN pg_class c ON c.oid = f.adrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = f.adnum
                    WHERE pg_get_expr(f.adbin, f.adrelid) = 'clock_timestamp()' AND c.relnamespace = 'public'::regnamespace
                LOOP
                    EXECUTE format('ALTER TABLE %s ALTER %I SET DEFAULT lab.clock_timestamp()', d.name, d.attname);
                END LOOP;
                EXECUTE format('ALTER DATABASE %I SET search_path = lab, pg_catalog, public', current_database());
            END $$
            """)
        await builder.close()
        let pool = try PostgresPool(url: url, size: size, applicationName: "tests")
        do {
            try await body(pool, LifeClock(pool: pool))
            await pool.close()
        } catch {
            await pool.close()
            throw error
        }
    }
}
