import Glibc

/// The folder of the sockets through which the services of one host communicate.
public enum RunDirectory {
    /// The longest path in a Unix socket's `sun_path`, without its final zero.
    public static let socketPathBytesMax = 107

    /// Returns `$XDG_RUNTIME_DIR/sightscreen`, or a folder of this user under /tmp, which is short because socket paths
    /// must be.
    public static func `default`(environment: [String: String]) -> String {
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return "\(folder)/sightscreen" }
        return "/tmp/sightscreen-\(geteuid())"
    }

    /// Makes `RUN_DIR/service` with mode 0700. It refuses a folder that belongs to another user, and a run directory in
    /// which another user could put a folder in a service's place.
    /// - Returns: the folder's path.
    @discardableResult
    public static func prepare(_ runDirectory: String, service: String) throws(ConfigurationError) -> String {
        try make(runDirectory)
        try checkOwner(of: runDirectory)
        let folder = "\(runDirectory)/\(service)"
        try make(folder)
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw refusal("\"\(folder)\" is not a folder of this user")
        }
        if status.st_mode & 0o777 != 0o700, chmod(folder, 0o700) != 0 {
            throw refusal("cannot close \"\(folder)\" to others: \(String(cString: strerror(errno)))")
        }
        return folder
    }

    private static func make(_ folder: String) throws(ConfigurationError) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            guard mkdir(path, 0o700) == 0 || errno == EEXIST || access(path, F_OK) == 0 else {
                throw refusal("cannot make \"\(path)\": \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Checks the run directory without changing its mode, because it may be one of the system's that was named by
    /// mistake, like /tmp. There the sticky bit would not help: the first user to make a service's folder owns it.
    private static func checkOwner(of folder: String) throws(ConfigurationError) {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw refusal("\"\(folder)\" is not a folder")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw refusal("\"\(folder)\" belongs to another user (\(status.st_uid)), who could put sockets there")
        }
        guard status.st_mode & 0o002 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw refusal(
                "every user may write to \"\(folder)\" (mode \(mode)) and put sockets there; name a folder of mode 0700, which is made where there is none"
            )
        }
    }

    private static func refusal(_ problem: String) -> ConfigurationError {
        ConfigurationError(setting: "SIGHTSCREEN_RUN_DIR", problem: problem)
    }
}
