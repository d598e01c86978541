public import Reactor

/// Connections to one database, opened when they are needed and again when they are lost.
///
/// Plain queries share connections and are pipelined; a transaction has a connection to itself. A query that finds no
/// connection waits for one until its own deadline, so callers do not notice a short restart of the server.
public final class PostgresPool: Sendable {
    /// The thread that serves all connections of the process, unless a caller brings its own reactor.
    public static let sharedReactor = Reactor(name: "postgres")

    private let core: PoolCore
    private let configuration: PostgresConfiguration
    private let reactor: Reactor
    private let metrics = PoolMetrics()
    /// How often `checkSessions` asks.
    private static let sessionRounds = 5
    /// As many wait for one key as one caller may send at once; what they wait for takes milliseconds.
    private let turns = Turns(waitersMax: 32, patience: .seconds(5))

    /// - Parameters:
    ///   - url: `postgresql://user@host/database`, or with a Unix socket `postgresql:///database?host=/folder&user=me`.
    ///   - size: the most connections, not counting one for each `listen`. At least 2, because one is kept for plain
    ///     queries.
    ///   - applicationName: the name in `pg_stat_activity`, of which PostgreSQL keeps 63 bytes.
    ///   - needsWriting: whether a session that cannot write is refused: of the hosts in `url` the first is used whose
    ///     sessions can.
    ///   - standIns: whether password and data travel as `url` says. Otherwise a server that is not on this machine
    ///     must prove its name over TLS.
    /// - Throws: `PostgresError`, `.configuration`, if `url` is not a connection string or asks for less protection
    ///   than that.
    public init(
        url: String, size: Int = 4, applicationName: String, needsWriting: Bool = true, standIns: Bool = false,
        reactor: Reactor = PostgresPool.sharedReactor
    ) throws {
        configuration = try PostgresConfiguration(
            url: url, applicationName: applicationName, needsWriting: needsWriting, standIns: standIns)
        self.reactor = reactor
        core = PoolCore(configuration: configuration, size: max(2, size), reactor: reactor, metrics: metrics)
    }

    /// Throws what `init` would throw for `url`; it connects to nothing.
    public static func check(url: String, needsWriting: Bool = true, standIns: Bool = false) throws {
        _ = try PostgresConfiguration(
            url: url, applicationName: "", needsWriting: needsWriting, standIns: standIns)
    }

    deinit {
        let core = self.core
        Task { await core.close() }
    }

    /// Runs one statement, in a transaction of its own.
    ///
    /// - Parameter deadline: the longest time until the answer, including the wait for a connection. The server itself
    ///   ends statements after 5 s.
    /// - Throws: `PostgresError`.
    public func query(_ sql: String, _ parameters: [PostgresValue] = [], deadline: Duration = .seconds(5)) async throws
        -> [PostgresRow]
    {
        try await run(sql, parameters, deadline: deadline).rows
    }

    /// Runs one statement like `query`.
    /// - Returns: the number of rows that were inserted, updated or deleted.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [PostgresValue] = [], deadline: Duration = .seconds(5))
        async throws
        -> Int
    {
        try await run(sql, parameters, deadline: deadline).affectedRows
    }

    /// Runs `body` between BEGIN and COMMIT on one connection, and rolls back if it throws. It must be short: the
    /// server ends a transaction that idles for 5 s.
    ///
    /// - Throws: what `body` throws; `.outcomeUnknown` if the connection was lost at the commit.
    public func transaction<T: Sendable>(_ body: (PostgresTransaction) async throws -> T) async throws -> T {
        let connection = try await core.lease(deadline: .now + .seconds(5))
        let transaction = PostgresTransaction(connection: connection)
        do {
            _ = try await transaction.query("BEGIN")
            let value = try await body(transaction)
            try PoolCore.check(commit: try await transaction.run("COMMIT"))
            await core.release(connection)
            return value
        } catch {
            await core.abandon(connection)
            throw error
        }
    }

    /// Runs `body` when no other caller has the turn of any of the keys. For transactions that would wait for each other
    /// in the database, each with a connection that others need; it is of this process and replaces no lock.
    ///
    /// - Parameter keys: in an order that is the same for all callers.
    /// - Throws: `Turns.Refusal` if too many wait for a key already, or the wait is too long; what `body` throws.
    package func inTurn<T: Sendable>(of keys: [String], _ body: () async throws -> T) async throws -> T {
        try await turns.take(keys, body)
    }

    /// Runs one transaction in two round trips: BEGIN travels with the statements that read, COMMIT with those that
    /// write.
    ///
    /// - Parameters:
    ///   - reading: the statements that are sent first; each sees the changes of those before it.
    ///   - check: called when there is a connection, before anything is sent. What it throws is thrown on.
    ///   - decide: returns the statements to write, by the answers to `reading`, in their order. It is not called if
    ///     one of them failed. It runs on the thread of the pool's connections, so it must be quick: all other answers
    ///     wait for it.
    /// - Returns: the answers to the statements that write, and the plan of `decide`, once the COMMIT is confirmed.
    /// - Throws: what `decide` throws; `.outcomeUnknown` or `.deadline` if it is not known whether the transaction was
    ///   committed.
    public func exchange<Plan: Sendable>(
        reading: [PostgresStatement], deadline: Duration = .seconds(5), check: @Sendable () throws -> Void = {},
        _ decide: @Sendable ([PostgresResult]) throws -> (writing: [PostgresStatement], Plan)
    ) async throws -> (written: [PostgresResult], plan: Plan) {
        try await core.exchange(reading, due: .now + deadline, check, decide)
    }

    /// Runs one transaction in one round trip, for statements that are all known beforehand.
    ///
    /// - Parameter check: called when there is a connection, before anything is sent. What it throws is thrown on.
    /// - Returns: the answers to the statements, once the COMMIT is confirmed.
    /// - Throws: `.outcomeUnknown` or `.deadline` if it is not known whether the transaction was committed.
    public func exchange(
        _ statements: [PostgresStatement], deadline: Duration = .seconds(5), check: @Sendable () throws -> Void = {}
    ) async throws -> [PostgresResult] {
        try await core.exchange(statements, due: .now + deadline, check)
    }

    /// Runs `body` with a connection of its own outside a transaction, for statements that PostgreSQL refuses inside
    /// one and for session state (advisory locks). The connection is closed afterwards.
    public func withConnection<T: Sendable>(_ body: (PostgresTransaction) async throws -> T) async throws -> T {
        let connection = PostgresConnection(reactor: reactor, metrics: metrics)
        try await connection.open(configuration, onClose: { _ in })
        do {
            let value = try await body(PostgresTransaction(connection: connection))
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Returns when the server answers a query.
    ///
    /// - Parameters:
    ///   - patience: the time after which it gives up; nil: never.
    ///   - onWaiting: called with the reason after the first failure and then about every 5 s.
    /// - Throws: the last reason when the patience is over.
    public func waitUntilReachable(within patience: Duration? = nil, onWaiting: (String) -> Void) async throws {
        let begun = ContinuousClock.now
        var reported: ContinuousClock.Instant?
        while true {
            try Task.checkCancellation()
            do {
                _ = try await query("SELECT 1", deadline: .seconds(2))
                return
            } catch let error as PostgresError {
                if let patience, .now - begun >= patience { throw error }
                if reported.map({ .now - $0 >= .seconds(5) }) ?? true {
                    onWaiting(error.message)
                    reported = .now
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Has each connection that is opened from now on checked before anything else is sent over it. One whose check
    /// throws is closed, and another is opened later.
    public func checkConnections(by check: @escaping @Sendable (PostgresTransaction) async throws -> Void) async {
        await core.checkConnections(by: check)
    }

    /// Checks that the server does not lose confirmed rows.
    /// - Throws: `.notDurable`, naming the setting, if a crash of the server could lose what it has confirmed.
    public func checkDurability() async throws {
        for name in ["fsync", "full_page_writes", "synchronous_commit"] {
            let value = try await query("SELECT current_setting($1) AS value", [.text(name)]).first?.string("value")
            if value == "off" {
                throw PostgresError(
                    .notDurable, "the server of DATABASE_URL has \(name) off: a crash of it would lose confirmed rows")
            }
        }
    }

    /// Checks that each connection has a session to itself. A connection pooler may give one session to several clients in
    /// turn: then settings, prepared statements and listeners meet in it, or are gone.
    ///
    /// Two connections ask in turn which session they have, once with a transaction open on the other: a pooler that hands
    /// the free session out which was used last gives both the same, one that hands them out in turn gives the second
    /// question another. Traffic of others mixes the order, so it is repeated.
    /// - Throws: `.configuration` if sessions are shared.
    public func checkSessions() async throws {
        let shared = PostgresError(
            .configuration,
            "leads to a connection pooler that shares sessions among its clients (pgbouncer's pool_mode=transaction or statement); give it pool_mode=session, or name PostgreSQL itself"
        )
        func session(_ connection: PostgresTransaction) async throws -> Int? {
            try await connection.query("SELECT pg_backend_pid() AS pid").first?.int("pid")
        }
        do {
            try await withConnection { one in
                try await withConnection { other in
                    let own = try await session(one)
                    for _ in 0..<Self.sessionRounds {
                        guard try await session(one) == own, try await session(other) != own else { throw shared }
                        try await other.execute("BEGIN")
                        guard try await session(one) == own else { throw shared }
                        try await other.execute("COMMIT")
                    }
                }
            }
        } catch let error as PostgresError where ["26000", "42P05"].contains(error.sqlState) {
            // A statement that was prepared is not in the session.
            throw shared
        }
    }

    /// Why PostgreSQL, which answers, gives no session that this pool can work with; nil once it gave one.
    package var refusal: PostgresError? { get async { await core.refusal } }

    /// Listens on a connection of its own until the stream's reader goes away. Notifications are hints: while the
    /// connection is lost they are missed, and then `.reconnected` tells the reader to read the tables.
    public func listen(_ channels: [String]) -> AsyncStream<PostgresNotification> {
        let configuration = self.configuration
        let reactor = self.reactor
        return AsyncStream(bufferingPolicy: .bufferingNewest(Listener.waitingMax)) { output in
            let listener = Task {
                await Listener(configuration: configuration, channels: channels, reactor: reactor).run(into: output)
            }
            output.onTermination = { _ in listener.cancel() }
        }
    }

    /// The hosts and the database for a message, without user and password: `db.example.com:5432/sightscreen`.
    public var place: String { configuration.place }

    /// Closes every connection. Queries in flight fail, and so do later ones.
    public func close() async { await core.close() }

    private func run(_ sql: String, _ parameters: [PostgresValue], deadline: Duration) async throws -> PostgresResult {
        let due = ContinuousClock.now + deadline
        while true {
            let connection = try await core.share(deadline: due)
            do {
                return try await connection.query(sql, parameters, deadline: due)
            } catch let error as PostgresError where error.code == .unavailable && .now < due {
                // The connection was lost between being handed out and being used, so nothing was sent.
                continue
            }
        }
    }
}
