import Glibc

/// A lock file that is locked as long as its owner lives: the kernel releases it however the process ends.
public struct FileLock: Sendable {
    public enum Failure: Error, Equatable {
        /// Another process holds the lock, or another part of this one.
        case taken
        /// The operation that failed, and why.
        case failed(String)
    }

    public let path: String
    private let descriptor: Int32

    /// Locks the file without waiting. It is made with mode 0600 if it does not exist.
    public static func take(_ path: String) throws(Failure) -> FileLock {
        while true {
            let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard lock >= 0 else { throw failure("open \(path)") }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                let failure = errno == EWOULDBLOCK ? .taken : failure("lock \(path)")
                close(lock)
                throw failure
            }
            // The last owner may have removed the file between our open and our lock; then the lock is on a file
            // without a name.
            var (held, named) = (stat(), stat())
            if fstat(lock, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino {
                return FileLock(path: path, descriptor: lock)
            }
            close(lock)
        }
    }

    /// Removes the file and releases the lock. It must be called only once.
    public func remove() {
        unlink(path)
        close(descriptor)
    }

    private static func failure(_ doing: String) -> Failure {
        .failed("\(doing): \(String(cString: strerror(errno)))")
    }
}
