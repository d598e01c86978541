import FileLock
import Glibc

/// A server's socket file. A lock file beside it is locked as long as the owner lives, so that the file of a dead owner
/// can be told from that of a living one and removed without a race.
struct SocketFile: Sendable {
    /// The bytes that `sun_path` holds without its final zero.
    static let pathBytesMax = 107

    let path: String
    /// The socket, bound and listening; the caller that takes it must close it.
    let descriptor: Int32
    private let lock: FileLock
    private let inode: ino_t

    /// Removes the file of a dead owner, binds with mode 0600 and listens.
    static func listen(at path: String, backlog: Int32 = 64) throws(WireError) -> SocketFile {
        guard path.first == "/", path.utf8.count <= pathBytesMax else {
            throw WireError(.socket, "\(path) is not an absolute path of at most \(pathBytesMax) bytes")
        }
        try prepareFolder(of: path)
        let lock = try takeLock(of: path)
        // The holder of the lock owns the name.
        unlink(path)
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard socket >= 0 else {
            let failure = Self.failure("socket for \(path)")
            lock.remove()
            throw failure
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // No process can connect before `listen`, so none meets the file with another mode than 0600.
        var status = stat()
        guard bound == 0, chmod(path, 0o600) == 0, stat(path, &status) == 0,
            Glibc.listen(socket, backlog) == 0
        else {
            let failure = Self.failure("bind \(path)")
            close(socket)
            lock.remove()
            throw failure
        }
        return SocketFile(path: path, descriptor: socket, lock: lock, inode: status.st_ino)
    }

    /// Removes the file: no new peer finds the server, and connected ones stay connected.
    func hide() {
        var status = stat()
        if stat(path, &status) == 0, status.st_ino == inode { unlink(path) }
    }

    /// Removes the file and releases the lock; called once, at the end.
    func remove() {
        hide()
        lock.remove()
    }

    /// Removes the files of dead servers in a folder; those of living ones are locked.
    static func sweep(_ folder: String) {
        for name in names(in: folder) where name.hasSuffix(".sock") {
            let path = "\(folder)/\(name)"
            guard let lock = try? takeLock(of: path) else { continue }
            unlink(path)
            lock.remove()
        }
    }

    /// Returns the sorted names in a folder; none when there is no such folder.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func lockPath(_ path: String) -> String { "\(path).lock" }

    private static func takeLock(of path: String) throws(WireError) -> FileLock {
        do throws(FileLock.Failure) { return try FileLock.take(lockPath(path)) } catch {
            switch error {
            case .taken: throw WireError(.socket, "\(path) belongs to a running process")
            case .failed(let problem): throw WireError(.socket, problem)
            }
        }
    }

    private static func prepareFolder(of path: String) throws(WireError) {
        let parts = path.split(separator: "/").dropLast()
        var folder = ""
        for part in parts {
            folder += "/\(part)"
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST || access(folder, F_OK) == 0 else {
                throw failure("make \(folder)")
            }
        }
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw WireError(.socket, "\(folder) is not a folder of this user")
        }
        guard status.st_mode & 0o777 == 0o700 || chmod(folder, 0o700) == 0 else { throw failure("chmod \(folder)") }
    }

    private static func failure(_ doing: String) -> WireError {
        WireError(.socket, "\(doing): \(String(cString: strerror(errno)))")
    }
}
