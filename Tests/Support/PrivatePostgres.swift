import Glibc
public import Postgres
import Processes
import Reactor
import Store

/// A PostgreSQL cluster that belongs to this test process: on a Unix socket only, in a folder under /tmp, gone when the
/// process is, however it ends.
public actor PrivatePostgres {
    /// The one that most tests share; each takes a database of its own from it.
    public static let shared = PrivatePostgres()
    private static let processes = ProcessTable(reactor: Reactor(name: "test-processes"))
    /// Any that no other database of the test process has.
    private static let migratedTemplate = "template_sightscreen"

    private let settings: [String]
    private var folder: TemporaryDirectory?
    private var cluster: PostgresCluster?
    private var postmaster: Int32?
    private var starting: Task<Void, any Error>?
    private var making: Task<Void, any Error>?
    private var databasesMade = 0

    /// - Parameter settings: of `postgresql.conf`, on top of our own; nothing is started yet.
    public init(settings: [String: String] = [:]) {
        self.settings =
            [
                "max_connections": "300", "shared_buffers": "32MB", "fsync": "off", "full_page_writes": "off",
                "max_wal_size": "256MB", "autovacuum": "off", "log_min_messages": "warning",
            ].merging(settings) { $1 }.map { "\($0)=\($1)" }
    }

    /// The `DATABASE_URL` of a database, once `start` was called.
    public func url(_ database: String) throws -> String {
        guard let cluster else { throw TestSupportError(description: "the private PostgreSQL was not started") }
        return cluster.url(database: database)
    }

    /// Makes the cluster if there is none, and starts it if it does not run.
    /// - Parameter isStandby: whether it begins as a standby, which cannot write, until it is promoted.
    public func start(asStandby isStandby: Bool = false) async throws {
        if let starting { return try await starting.value }
        let task = Task { try await self.startNow(isStandby) }
        starting = task
        do { try await task.value } catch {
            starting = nil
            throw error
        }
    }

    /// Stops the server; the data stay. Immediately means as in a crash.
    public func stop(immediately: Bool = false) async {
        guard let postmaster else { return }
        _ = await Self.processes.stop(postmaster, with: immediately ? SIGQUIT : SIGINT, patience: .seconds(20))
        self.postmaster = nil
        starting = nil
    }

    /// A new database.
    /// - Parameter migrated: with the tables of Sightscreen; else empty.
    /// - Returns: its `DATABASE_URL`.
    public func makeDatabase(migrated: Bool = true) async throws -> String {
        try await start()
        databasesMade += 1
        let name = "test_\(databasesMade)"
        // One after the other: a template may not be in use while it is copied.
        let previous = making
        let task = Task {
            _ = await previous?.result
            if migrated { try await self.makeTemplate() }
            try await self.create(name, from: migrated ? Self.migratedTemplate : "template0")
        }
        making = task
        try await task.value
        return try url(name)
    }

    // MARK: -

    private func startNow(_ isStandby: Bool) async throws {
        let folder = try self.folder ?? TemporaryDirectory(prefix: "ss-pg")
        let cluster = try PostgresCluster(folder: folder.appending("cluster"))
        if self.folder == nil {
            // PostgreSQL's user must be able to pass through.
            chmod(folder.path, 0o711)
            try await removeWhenWeAreGone(folder)
        }
        (self.folder, self.cluster) = (folder, cluster)
        try await cluster.initialise(options: ["--no-sync"], with: Self.processes)
        if isStandby { try Tool.write("", to: "\(cluster.folder)/data/standby.signal") }
        postmaster = try await Self.processes.start(
            cluster.server(logFile: folder.appending("log"), settings: settings))
        let pool = try PostgresPool(url: try url("postgres"), applicationName: "tests", needsWriting: false)
        try await eventually("the private PostgreSQL answers", within: .seconds(60)) {
            try await pool.query("SELECT 1", deadline: .seconds(2)).count == 1
        }
        await pool.close()
    }

    private func makeTemplate() async throws {
        let admin = try PostgresPool(url: try url("postgres"), applicationName: "tests")
        let known = try await admin.query(
            "SELECT 1 FROM pg_database WHERE datname = $1", [.text(Self.migratedTemplate)])
        await admin.close()
        guard known.isEmpty else { return }
        try await create("\(Self.migratedTemplate)_new", from: "template0")
        let pool = try PostgresPool(url: try url("\(Self.migratedTemplate)_new"), applicationName: "tests")
        _ = try await Migrator(pool: pool).migrate()
        await pool.close()
        let renamer = try PostgresPool(url: try url("postgres"), applicationName: "tests")
        try await eventually("nobody uses the template") {
            try await renamer.execute(
                "ALTER DATABASE \(Self.migratedTemplate)_new RENAME TO \(Self.migratedTemplate)")
            return true
        }
        await renamer.close()
    }

    private func create(_ name: String, from template: String) async throws {
        let pool = try PostgresPool(url: try url("postgres"), applicationName: "tests")
        try await pool.execute("CREATE DATABASE \(name) TEMPLATE \(template)", deadline: .seconds(30))
        await pool.close()
    }

    private func removeWhenWeAreGone(_ folder: TemporaryDirectory) async throws {
        let script = "while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done; sleep 2; rm -rf \(folder.path)"
        _ = try await Self.processes.start(
            Command(
                "/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin"], output: .discard, deathSignal: 0))
    }
}

/// Runs `body` with a pool on a database of its own.
/// - Parameter migrated: with the tables of Sightscreen; else empty.
@discardableResult
public func withDatabase<T: Sendable>(
    migrated: Bool = true, size: Int = 4, _ body: (PostgresPool) async throws -> T
) async throws -> T {
    let url = try await PrivatePostgres.shared.makeDatabase(migrated: migrated)
    let pool = try PostgresPool(url: url, size: size, applicationName: "tests")
    do {
        let value = try await body(pool)
        await pool.close()
        return value
    } catch {
        await pool.close()
        throw error
    }
}
