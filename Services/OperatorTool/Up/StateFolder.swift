import FoundationEssentials
import Glibc

/// The folder in which `sightscreen up` keeps its cluster, keys, sockets and logs; it is never in the checkout. One run
/// at a time locks it.
struct StateFolder: Sendable {
    let path: String

    var logs: String { "\(path)/logs" }
    var run: String { "\(path)/run" }
    var secrets: String { "\(path)/secrets" }
    var cluster: String { "\(path)/postgres" }
    /// The file that a script needs to attach: addresses and process ids in JSON.
    var endpoints: String { "\(path)/endpoints.json" }

    /// `SIGHTSCREEN_STATE_DIR`, or a folder per user under `/var/tmp`.
    static func path(environment: [String: String]) -> String {
        environment["SIGHTSCREEN_STATE_DIR"] ?? "/var/tmp/sightscreen-\(getuid())"
    }

    /// Makes the folder and locks it; the lock ends with this process.
    ///
    /// - Parameter keep: whether to keep the cluster of the run before; otherwise every run starts empty.
    init(path: String, keep: Bool) throws {
        guard path.hasPrefix("/") else {
            throw UpError.setting("SIGHTSCREEN_STATE_DIR", "\"\(path)\" is not an absolute path")
        }
        // The longest socket in it: <path>/run/la-coordinator/la-coordinator.sock must fit into sun_path (107 bytes).
        guard path.utf8.count <= 60 else {
            throw UpError.setting(
                "SIGHTSCREEN_STATE_DIR", "\(path) is too long for socket paths, use at most 60 characters")
        }
        self.path = path
        do {
            try Self.makeFolder(path)
        } catch {
            throw UpError.setting("SIGHTSCREEN_STATE_DIR", "cannot make \(TextFile.reason(error))")
        }
        let lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw UpError.setting("SIGHTSCREEN_STATE_DIR", "cannot write to \(path)") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw UpError("another sightscreen up runs in \(path); end it, or set SIGHTSCREEN_STATE_DIR")
        }
        for folder in [logs, run, secrets] {
            if folder != secrets || !keep { try? FileManager.default.removeItem(atPath: folder) }
            try Self.makeFolder(folder)
        }
        try? FileManager.default.removeItem(atPath: endpoints)
        if !keep { try? FileManager.default.removeItem(atPath: cluster) }
    }

    /// Makes a folder for its owner alone, except that others may pass through: PostgreSQL runs as a user of its own
    /// when this process runs as root.
    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o711])
    }
}

/// An error that ends `sightscreen up`; its text is the one line that the operator reads.
struct UpError: Error, CustomStringConvertible {
    var description: String
    /// The exit status: 78 when a setting is to blame.
    var status: Int32 = 1

    init(_ description: String) { self.description = description }

    static func setting(_ name: String, _ problem: String) -> UpError {
        var error = UpError("\(name): \(problem)")
        error.status = Supervisor.misconfigured
        return error
    }
}
