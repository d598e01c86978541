public import Logging
public import Postgres

/// The start of every service: it waits for PostgreSQL and for the schema, and logs what it waits for.
public enum DatabaseStart {
    /// Returns when the database can be used. Throws only if the waiting task is cancelled, the server would lose
    /// acknowledged writes, or a pooler in between shares sessions.
    public static func wait(for pool: PostgresPool, logger: Logger) async throws {
        var said = false
        func say(_ why: String) {
            said = true
            logger.warning("Waiting for PostgreSQL (DATABASE_URL)", metadata: ["reason": "\(why)"])
        }
        try await wait(
            reach: { try await pool.waitUntilReachable(onWaiting: say) },
            check: {
                try await pool.checkSessions()
                try await pool.checkDurability()
            }, onLost: say)
        if said { logger.notice("PostgreSQL is reached") }
        try await waitForSchema(pool, logger)
    }

    /// Waits for a server and checks it. A server that goes away between the two is waited for again.
    ///
    /// - Parameter onLost: called with the reason each time the server goes away.
    static func wait(
        reach: () async throws -> Void, check: () async throws -> Void, onLost: (String) -> Void
    ) async throws {
        while true {
            try await reach()
            do { return try await check() } catch let error as PostgresError
                where error.code != .notDurable && error.code != .configuration
            {
                onLost(error.message)
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private static func waitForSchema(_ pool: PostgresPool, _ logger: Logger) async throws {
        let migrator = Migrator(pool: pool)
        var rounds = 0
        while true {
            // A database that goes away meanwhile is waited for like one that has no schema yet.
            if (try? await migrator.isCurrent()) == true { break }
            if rounds % 10 == 0 { logger.warning("Waiting for the schema; run: sightscreen migrate") }
            rounds += 1
            try await Task.sleep(for: .milliseconds(500))
        }
        if rounds > 0 { logger.notice("The schema is current") }
    }
}
