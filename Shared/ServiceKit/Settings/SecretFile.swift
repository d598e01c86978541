import Glibc

/// Reads a secret from a file. A file that every user of the machine can read is refused, and one that another user but
/// root owns, who could exchange it. Below /run/secrets neither is asked: containers mount theirs there, as they are on
/// the host.
package enum SecretFile {
    private static let bytesMax = 65_536

    package static func read(path: String, setting: String) throws(ConfigurationError) -> Secret {
        func failure(_ problem: String) -> ConfigurationError {
            ConfigurationError(setting: setting, problem: "\"\(path)\" \(problem)")
        }
        // A path that climbs back is not where it seems to be.
        guard !path.split(separator: "/").contains("..") else {
            throw failure("has \"..\" in it; name the file itself")
        }
        let isMounted = path.hasPrefix("/run/secrets/")
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw failure("is not a file") }
        guard status.st_uid == 0 || status.st_uid == geteuid() || isMounted else {
            throw failure("belongs to another user; chown it to the user of this process, or to root")
        }
        guard status.st_mode & 0o007 == 0 || isMounted else {
            throw failure("can be read by every user of this machine; chmod 0400 it")
        }
        guard status.st_size <= bytesMax else { throw failure("is larger than \(bytesMax) bytes") }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0 { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
            if got == 0 { break }
            count += got
        }
        guard var text = String(validating: bytes[..<count], as: UTF8.self) else { throw failure("is not text") }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw failure("is empty") }
        return Secret(text)
    }
}
