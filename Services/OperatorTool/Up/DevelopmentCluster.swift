import FoundationEssentials
import Glibc
import Postgres
import Processes

/// A private PostgreSQL that listens on a Unix socket in the state folder and nowhere else.
struct DevelopmentCluster: Sendable {
    let folder: String
    private let binaries: String
    private let user: (uid: Int32, gid: Int32)?

    private var data: String { "\(folder)/data" }
    private var sockets: String { "\(folder)/socket" }
    private var log: String { "\(folder)/initdb.log" }

    /// The libpq URL of a database in the cluster.
    func url(database: String = "sightscreen") -> String {
        "postgresql://sightscreen@/\(database)?host=\(sockets)"
    }

    init(folder: String) throws {
        self.folder = folder
        guard let binaries = Self.findBinaries() else {
            throw UpError("PostgreSQL 15 is not installed: apt-get install postgresql-15 (or set DATABASE_URL)")
        }
        self.binaries = binaries
        // initdb and postgres refuse to run as root.
        if getuid() == 0 {
            guard let entry = getpwnam("postgres") else {
                throw UpError("there is no user postgres to run PostgreSQL as")
            }
            user = (Int32(entry.pointee.pw_uid), Int32(entry.pointee.pw_gid))
        } else {
            user = nil
        }
    }

    /// Makes the cluster when there is none.
    func initialise(with processes: ProcessTable) async throws {
        if FileManager.default.fileExists(atPath: "\(data)/PG_VERSION") { return }
        for path in [folder, sockets] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if let user { chown(path, uid_t(user.uid), gid_t(user.gid)) }
            chmod(path, 0o700)
        }
        let status = try await processes.run(
            Command(
                "\(binaries)/initdb",
                ["-D", data, "-U", "sightscreen", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-instructions"],
                environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"], directory: "/", output: .file(log), user: user))
        guard status.isSuccess else {
            throw UpError("initdb failed (\(status)): \(TextFile.lastLine(of: log) ?? "no message"); see \(log)")
        }
    }

    /// The command of the server. When the supervisor dies, the server also gets SIGINT, which is a fast shutdown.
    func server(logFile: String) -> Command {
        Command(
            "\(binaries)/postgres",
            [
                "-D", data, "-k", sockets, "-c", "listen_addresses=", "-c", "max_connections=100",
                "-c", "shared_buffers=64MB", "-c", "timezone=UTC", "-c", "log_timezone=UTC",
            ],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"], directory: "/", output: .file(logFile), user: user,
            deathSignal: SIGINT)
    }

    /// Waits for the server and makes the database in it.
    func prepareDatabase() async throws {
        let pool = try PostgresPool(url: url(database: "postgres"), size: 1, applicationName: "sightscreen-up")
        try await pool.waitUntilReachable { _ in }
        let rows = try await pool.query("SELECT 1 AS one FROM pg_database WHERE datname = 'sightscreen'")
        if rows.isEmpty { _ = try await pool.query("CREATE DATABASE sightscreen", deadline: .seconds(30)) }
        await pool.close()
    }

    private static func findBinaries() -> String? {
        let known = (15...18).map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/bin", "/usr/bin"]
        return known.first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
    }
}
