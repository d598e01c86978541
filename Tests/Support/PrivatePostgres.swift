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
    private static let user = "sightscreen"
    /// Any that no other database of the test process has.
    private static let migratedTemplate = "template_sightscreen"

    private let settings: [String: String]
    private var folder: TemporaryDirectory?
    private var postmaster: Int32?
    private var starting: Task<Void, any Error>?
    private var making: Task<Void, any Error>?
    private var databasesMade = 0

    /// - Parameter settings: of `postgresql.conf`, on top of our own; nothing is started yet.
    public init(settings: [String: String] = [:]) {
        var all = [
            "listen_addresses": "''", "unix_socket_permissions": "0700", "max_connections": "300",
            "shared_buffers": "32MB", "fsync": "off", "full_page_writes": "off", "max_wal_size": "256MB",
            "autovacuum": "off", "log_min_messages": "warning",
        ]
        all.merge(settings) { $1 }
        self.settings = all
    }

    /// The `DATABASE_URL` of a database, once `start` was called.
    public func url(_ database: String) throws -> String {
        guard let folder else { throw TestSupportError(description: "the private PostgreSQL was not started") }
        return "postgresql://\(Self.user)@/\(database)?host=\(folder.path)"
    }

    /// Makes the cluster if there is none, and starts it if it does not run.
    public func start() async throws {
        if let starting { return try await starting.value }
        let task = Task { try await self.startNow() }
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

    private func startNow() async throws {
        let isNew = folder == nil
        let folder = try self.folder ?? TemporaryDirectory(prefix: "ss-pg")
        self.folder = folder
        let user = try Self.serverUser()
        if isNew {
            if let user, chown(folder.path, UInt32(user.uid), UInt32(user.gid)) != 0 {
                throw TestSupportError(description: "cannot give \(folder.path) to postgres")
            }
            try await removeWhenWeAreGone(folder)
            try await run(
                "initdb",
                ["-D", folder.appending("data"), "-U", Self.user, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
                user)
        }
        let flags = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value.unquoted)"] }
        postmaster = try await Self.processes.start(
            Command(
                try Self.binary("postgres"), ["-D", folder.appending("data"), "-k", folder.path] + flags,
                environment: Self.environment, output: .file(folder.appending("log")), user: user, deathSignal: SIGINT))
        let pool = try PostgresPool(url: try url("postgres"), applicationName: "tests")
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
            Command("/bin/sh", ["-c", script], environment: Self.environment, output: .discard, deathSignal: 0))
    }

    private func run(_ program: String, _ arguments: [String], _ user: (uid: Int32, gid: Int32)?) async throws {
        guard let folder else { return }
        let status = try await Self.processes.run(
            Command(
                try Self.binary(program), arguments, environment: Self.environment, directory: "/tmp",
                output: .file(folder.appending("\(program).log")), user: user))
        guard status.isSuccess else { throw TestSupportError(description: "\(program): \(status)") }
    }

    private static let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"]

    /// PostgreSQL refuses to run as root.
    private static func serverUser() throws -> (uid: Int32, gid: Int32)? {
        guard geteuid() == 0 else { return nil }
        guard let entry = getpwnam("postgres") else {
            throw TestSupportError(description: "there is no user postgres: is postgresql-15 installed?")
        }
        return (Int32(entry.pointee.pw_uid), Int32(entry.pointee.pw_gid))
    }

    private static func binary(_ name: String) throws -> String {
        for version in stride(from: 18, through: 15, by: -1) {
            let path = "/usr/lib/postgresql/\(version)/bin/\(name)"
            if access(path, X_OK) == 0 { return path }
        }
        throw TestSupportError(description: "\(name) is not installed (postgresql-15)")
    }
}

extension String {
    /// `postgresql.conf` wants quotes around the empty string, the command line does not.
    fileprivate var unquoted: String { self == "''" ? "" : self }
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
