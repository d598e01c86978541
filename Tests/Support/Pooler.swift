import FoundationEssentials
import Glibc
import Postgres
import Processes
import Reactor

/// pgbouncer in front of a database of its own, on a Unix socket in a folder under /tmp.
public enum Pooler {
    private static let environment = ProcessInfo.processInfo.environment
    private static let program: String? = [environment["PGBOUNCER"] ?? "", "/usr/sbin/pgbouncer"].first { path in
        access(path, X_OK) == 0
    }
    private static let processes = ProcessTable(reactor: Reactor(name: "poolers"))

    /// Whether this machine has one: `PGBOUNCER` names one that is not where Debian's package puts it.
    public static var isThere: Bool { program != nil }

    /// Runs `body` with the pooler's `DATABASE_URL`.
    /// - Parameters:
    ///   - mode: `session`, `transaction` or `statement`.
    ///   - migrated: whether the database has the tables of Sightscreen.
    public static func run(_ mode: String, migrated: Bool = false, _ body: (String) async throws -> Void) async throws {
        guard let program else { throw TestSupportError(description: "there is no pgbouncer") }
        let url = try await PrivatePostgres.shared.makeDatabase(migrated: migrated)
        // postgresql://sightscreen@/DATABASE?host=SOCKETS
        let parts = url.split { "/?=".contains($0) }
        guard parts.count > 3, let sockets = url.split(separator: "=").last else {
            throw TestSupportError(description: "\(url) is of another form")
        }
        try await withTemporaryDirectory { folder in
            try Tool.write(
                """
                [databases]
                \(parts[2]) = host=\(sockets) user=sightscreen
                [pgbouncer]
                listen_port = 5432
                unix_socket_dir = \(folder.path)
                auth_type = any
                pool_mode = \(mode)
                max_client_conn = 200
                """, to: folder.appending("ini"))
            // It refuses to run as root.
            let user = getuid() == 0 ? getpwnam("postgres").map { ($0.pointee.pw_uid, $0.pointee.pw_gid) } : nil
            if let user { chown(folder.path, user.0, user.1) }
            chmod(folder.appending("ini"), 0o644)
            let pid = try await processes.start(
                Command(
                    program, [folder.appending("ini")],
                    environment: [
                        "PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": environment["UNPACKED_LIBRARIES"] ?? "",
                    ], output: .discard, user: user.map { (Int32($0.0), Int32($0.1)) }))
            do {
                let url = "postgresql://sightscreen@/\(parts[2])?host=\(folder.path)"
                let pool = try PostgresPool(url: url, applicationName: "tests")
                try await pool.waitUntilReachable(within: .seconds(20)) { _ in }
                await pool.close()
                try await body(url)
            } catch {
                _ = await processes.stop(pid, with: SIGKILL, patience: .seconds(5))
                throw error
            }
            _ = await processes.stop(pid, with: SIGKILL, patience: .seconds(5))
        }
    }
}
