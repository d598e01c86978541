internal import FoundationEssentials
internal import Glibc

/// A private PostgreSQL that listens on a Unix socket in its folder and nowhere else.
public struct PostgresCluster: Sendable {
    public let folder: String
    private let binaries: String
    private let user: (uid: Int32, gid: Int32)?

    private var data: String { "\(folder)/data" }
    private var sockets: String { "\(folder)/socket" }
    private static let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]

    /// libpq URL of a database in the cluster.
    public func url(database: String) -> String { "postgresql://sightscreen@/\(database)?host=\(sockets)" }

    public init(folder: String) throws {
        self.folder = folder
        guard let binaries = Self.findBinaries() else {
            throw ProcessError("PostgreSQL 15 is not installed: apt-get install postgresql-15 (or set DATABASE_URL)")
        }
        self.binaries = binaries
        // initdb and postgres refuse to run as root.
        if getuid() == 0 {
            guard let entry = getpwnam("postgres") else {
                throw ProcessError("there is no user postgres to run PostgreSQL as")
            }
            user = (Int32(entry.pointee.pw_uid), Int32(entry.pointee.pw_gid))
        } else {
            user = nil
        }
    }

    /// Makes the cluster when there is none.
    /// - Parameter options: of initdb, besides our own.
    public func initialise(options: [String] = [], with processes: ProcessTable) async throws {
        if FileManager.default.fileExists(atPath: "\(data)/PG_VERSION") { return }
        for path in [folder, sockets] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if let user { chown(path, uid_t(user.uid), gid_t(user.gid)) }
            chmod(path, 0o700)
        }
        let log = "\(folder)/initdb.log"
        let status = try await processes.run(
            Command(
                "\(binaries)/initdb",
                ["-D", data, "-U", "sightscreen", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-instructions"]
                    + options,
                environment: Self.environment, directory: "/", output: .file(log), user: user))
        guard status.isSuccess else {
            let text = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let said = text.split(separator: "\n").last ?? "no message"
            throw ProcessError("initdb failed (\(status)): \(said); see \(log)")
        }
    }

    /// The server itself. A fast shutdown (SIGINT) is also what it gets when the supervisor dies.
    /// - Parameter settings: `name=value`, on top of our own.
    public func server(logFile: String, settings: [String] = []) -> Command {
        let all =
            [
                "listen_addresses=", "max_connections=100", "shared_buffers=64MB", "timezone=UTC", "log_timezone=UTC",
            ] + settings
        return Command(
            "\(binaries)/postgres", ["-D", data, "-k", sockets] + all.flatMap { ["-c", $0] },
            environment: Self.environment, directory: "/", output: .file(logFile), user: user, deathSignal: SIGINT)
    }

    private static func findBinaries() -> String? {
        let known = (15...18).map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/bin", "/usr/bin"]
        return known.first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
    }
}
