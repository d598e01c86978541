import Logging
import Postgres
import TestKit
import Testing

@testable import ServiceKit

/// A database that goes back while processes run, and what only looks like it.
@Suite struct DatabaseHistoryTests {
    /// A process with its row, and how often it ended.
    private struct Process {
        let presence: Presence
        let lines = LogLines()

        init(_ instance: String, on pool: PostgresPool) async throws {
            var context = ServiceContext(logger: lines.logger, readiness: Readiness())
            context.restart = { [lines] in lines.logger.info("It has ended") }
            presence = Presence(pool: pool, service: "bus", instance: instance, context: context)
            try await presence.begin()
        }

        var hasEnded: Bool { lines.count("It has ended") > 0 }

        /// Whether it ends at its next write.
        func endsNow() async -> Bool {
            await presence.write()
            return hasEnded
        }
    }

    private static func wentBack(_ pool: PostgresPool) async throws -> Bool {
        try await pool.query("SELECT went_back_at > 'epoch' AS went_back FROM database_history")[0].bool("went_back")
    }

    /// What stands in the database in the place of what a process wrote last.
    enum Earlier: String, CaseIterable {
        case olderRow = "UPDATE processes SET expires_at = expires_at - interval '1 second'"
        case rowOfAnEarlierRun = """
            UPDATE processes SET started_at = started_at - interval '1 day', expires_at = expires_at + interval '1 day'
            """
        case noRow = "DELETE FROM processes"
    }

    @Test(arguments: Earlier.allCases) func aProcessEndsThatFindsLessThanItWrote(earlier: Earlier) async throws {
        try await withDatabase { pool in
            let process = try await Process("a", on: pool)
            #expect(await !process.endsNow())
            #expect(try await !Self.wentBack(pool))
            try await pool.execute(earlier.rawValue)
            #expect(await process.endsNow())
            #expect(process.lines.count("The database went back: this process ends, to be started again") == 1)
            #expect(try await Self.wentBack(pool))
            // It is started again.
            #expect(try await !Process("a", on: pool).endsNow())
        }
    }

    /// The others see it by what the first wrote down, also those whose own row is as they wrote it. It is written once.
    @Test func allOthersEndWhenOneHasNoticed() async throws {
        try await withDatabase { pool in
            var processes: [Process] = []
            for instance in ["a", "b", "c"] { processes.append(try await Process(instance, on: pool)) }
            try await pool.execute("DELETE FROM processes WHERE instance <> 'c'")
            #expect(await processes[0].endsNow())
            let noticed = try await pool.query("SELECT went_back_at::text AS at FROM database_history")[0].string("at")
            let again = try await Process("a", on: pool)
            for process in processes.dropFirst() { #expect(await process.endsNow()) }
            #expect(await !again.endsNow())
            #expect(
                try await pool.query("SELECT went_back_at::text AS at FROM database_history")[0].string("at") == noticed
            )
        }
    }

    /// It was written down between the look before the write and the write itself.
    @Test func whatAnotherNotesDuringAWriteIsNotTakenAsKnown() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let process = try await Process("a", on: pool)
            let writing = try await pool.transaction { other in
                // Who looks is let through, who writes is not.
                try await other.execute("LOCK TABLE processes IN EXCLUSIVE MODE")
                let writing = Task { [presence = process.presence] in await presence.write() }
                try await eventually("its write waits") {
                    try await other.query(
                        """
                        SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
                        WHERE d.datname = current_database() AND relation = 'processes'::regclass AND NOT granted
                        """
                    ).count == 1
                }
                try await other.execute("UPDATE database_history SET went_back_at = clock_timestamp()")
                return writing
            }
            await writing.value
            #expect(!process.hasEnded)
            #expect(await process.endsNow())
        }
    }

    /// The operator who restored it has noted that, and the services went on with the other database until they came to this one.
    @Test func whatWasNotedBeforeTheLastWriteIsNotedAnew() async throws {
        try await withDatabase { pool in
            let process = try await Process("a", on: pool)
            try await pool.execute(
                """
                WITH noted AS (
                    UPDATE database_history SET went_back_at = clock_timestamp() - interval '1 minute' RETURNING 1)
                DELETE FROM processes USING noted
                """)
            #expect(await process.endsNow())
            let rows = try await pool.query(
                "SELECT went_back_at > clock_timestamp() - interval '30 seconds' AS is_new FROM database_history")
            #expect(try rows[0].bool("is_new"))
        }
    }

    /// A second restore, of a backup from before the first one was noticed.
    @Test func goingBackBehindAnEarlierReturnIsNoticed() async throws {
        try await withDatabase { pool in
            try await pool.execute("UPDATE database_history SET went_back_at = clock_timestamp()")
            let process = try await Process("a", on: pool)
            try await pool.execute("UPDATE database_history SET went_back_at = 'epoch'")
            #expect(await process.endsNow())
            #expect(try await Self.wentBack(pool))
        }
    }

    /// Nothing is sent over a new connection to a database that has gone back.
    @Test func aNewConnectionIsCheckedBeforeItIsUsed() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let (own, pool) = (
            try PostgresPool(url: url, applicationName: "own"), try PostgresPool(url: url, applicationName: "t")
        )
        let process = try await Process("a", on: own)
        try await pool.execute("UPDATE processes SET expires_at = expires_at - interval '1 second'")
        try await pool.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'own'")
        try await eventually("it has noticed") {
            await #expect(throws: PostgresError.self) {
                try await own.execute("CREATE TABLE written (x int)", deadline: .seconds(1))
            }
            return process.hasEnded
        }
        #expect(try await pool.query("SELECT FROM pg_class WHERE relname = 'written'").isEmpty)
        for each in [own, pool] { await each.close() }
    }

    /// A backup of a release that had no history: the database does not answer until it is migrated, and no statement is wrong.
    @Test func aDatabaseWithoutAHistoryIsWaitedFor() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let (own, pool) = (
            try PostgresPool(url: url, applicationName: "own"), try PostgresPool(url: url, applicationName: "t")
        )
        let process = try await Process("a", on: own)
        try await pool.execute("ALTER TABLE database_history RENAME TO later")
        try await pool.execute("UPDATE processes SET expires_at = expires_at - interval '1 second'")
        try await pool.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'own'")
        try await eventually("it does not answer, as far as callers know") {
            do { _ = try await own.query("SELECT 1", deadline: .milliseconds(300)) } catch let error as PostgresError {
                return error.message.contains("database_history") && error.code == .unavailable && error.rule == nil
            }
            return false
        }
        try await pool.execute("ALTER TABLE later RENAME TO database_history")
        try await eventually("it has noticed") {
            _ = try? await own.query("SELECT 1", deadline: .milliseconds(300))
            return process.hasEnded
        }
        for each in [own, pool] { await each.close() }
    }

    /// The server was restarted, the database away, the process stopped for a while; another run of it has begun.
    enum Same: String, CaseIterable {
        case nothing = "SELECT"
        case cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'own'"
        case anotherRun = """
            UPDATE processes SET started_at = started_at + interval '1 second', expires_at = expires_at - interval '1 minute'
            """
        case renewedInTheAnswerThatWasLost = "UPDATE processes SET expires_at = expires_at + interval '10 seconds'"
        case othersErased = "DELETE FROM processes WHERE instance <> 'a'"
    }

    @Test(arguments: Same.allCases) func whatOnlyLooksLikeItEndsNothing(same: Same) async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let (own, pool) = (
            try PostgresPool(url: url, applicationName: "own"), try PostgresPool(url: url, applicationName: "t")
        )
        let process = try await Process("a", on: own)
        _ = try await Process("b", on: pool)
        try await pool.execute(same.rawValue)
        #expect(await !process.endsNow())
        #expect(try await own.query("SELECT 1").count == 1)
        #expect(try await !Self.wentBack(pool))
        for each in [own, pool] { await each.close() }
    }

    /// Rows are deleted a day after they expired: one that stood still for longer finds none.
    @Test(arguments: [(23, true), (25, false)]) func aRowThatIsMissingTellsNothingAfterADay(hours: Int, isTold: Bool)
        async throws
    {
        try await withDatabase { pool in
            let rows = try await pool.query(
                """
                SELECT (clock_timestamp() - interval '3 days')::text AS started_at,
                    (clock_timestamp() - interval '\(hours) hours')::text AS expires_at,
                    (clock_timestamp() - interval '\(hours) hours')::text AS written_at, went_back_at::text
                FROM database_history
                """)
            let written = try DatabaseHistory.Row(rows[0])
            let answer = try await pool.query(
                DatabaseHistory.check, [.text("bus"), .text("host"), .text("a")] + written.parameters)
            #expect(try answer.map { try $0.bool("went_back") } == [isTold])
        }
    }
}
