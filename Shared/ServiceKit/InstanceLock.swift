import FileLock
import Glibc

/// Makes sure that an instance name is used once on its host: two processes with one name would acquire each other's
/// leases and remove each other's files. It is acquired before anything else.
struct InstanceLock {
    /// Another process has the name. The exit status is 1 and not 78, because that process may be about to end, and a
    /// supervisor tries again.
    struct Taken: Error, CustomStringConvertible {
        let instance: String
        let path: String

        var description: String {
            "INSTANCE: \"\(instance)\" is a running process already (\(path)); each needs a name of its own"
        }
    }

    private let lock: FileLock

    /// Acquires the lock of an instance name, and removes files of processes that were killed.
    /// - Parameter folder: the service's folder in the run directory.
    /// - Throws: `Taken`, or `ConfigurationError` if the folder cannot be used.
    static func take(_ instance: String, in folder: String) throws -> InstanceLock {
        let path = path(of: instance, in: folder)
        do throws(FileLock.Failure) {
            let lock = try acquireDuringSweeps(path)
            sweep(folder, but: instance)
            return InstanceLock(lock: lock)
        } catch {
            switch error {
            case .taken: throw Taken(instance: instance, path: path)
            case .failed(let problem): throw ConfigurationError(setting: "SIGHTSCREEN_RUN_DIR", problem: problem)
            }
        }
    }

    func remove() { lock.remove() }

    /// Returns the path of the file that holds the address of a process's health server.
    static func healthFile(of instance: String, in folder: String) -> String { "\(folder)/\(instance).health" }

    private static func path(of instance: String, in folder: String) -> String { "\(folder)/\(instance)\(suffix)" }

    private static let suffix = ".instance"

    /// Retries for 100 ms, because another process that sweeps the folder holds the lock for a moment.
    private static func acquireDuringSweeps(_ path: String) throws(FileLock.Failure) -> FileLock {
        for _ in 0..<5 {
            do { return try FileLock.take(path) } catch { guard error == .taken else { throw error } }
            usleep(20_000)
        }
        return try FileLock.take(path)
    }

    /// Removes the files of processes that were killed.
    private static func sweep(_ folder: String, but ours: String) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(suffix) else { continue }
            let instance = String(name.dropLast(suffix.count))
            guard instance != ours, let lock = try? FileLock.take("\(folder)/\(name)") else { continue }
            unlink(healthFile(of: instance, in: folder))
            lock.remove()
        }
    }
}
