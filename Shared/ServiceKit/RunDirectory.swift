import Glibc

/// The folder of the sockets through which the services of one host talk.
public enum RunDirectory {
    /// What `sun_path` of a Unix socket holds without its final zero.
    public static let socketPathBytesMax = 107

    /// `$XDG_RUNTIME_DIR/sightscreen`, else a folder of this user under /tmp (short, because socket paths must be).
    public static func `default`(environment: [String: String]) -> String {
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return "\(folder)/sightscreen" }
        return "/tmp/sightscreen-\(geteuid())"
    }

    /// Makes `RUN_DIR/service` with mode 0700 and refuses one that belongs to somebody else.
    /// - Returns: its path.
    @discardableResult
    public static func prepare(_ runDirectory: String, service: String) throws(ConfigurationError) -> String {
        let folder = "\(runDirectory)/\(service)"
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            guard mkdir(path, 0o700) == 0 || errno == EEXIST || access(path, F_OK) == 0 else {
                throw ConfigurationError(
                    setting: "SIGHTSCREEN_RUN_DIR",
                    problem: "cannot make \"\(path)\": \(String(cString: strerror(errno)))")
            }
        }
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw ConfigurationError(
                setting: "SIGHTSCREEN_RUN_DIR", problem: "\"\(folder)\" is not a folder of this user")
        }
        if status.st_mode & 0o777 != 0o700, chmod(folder, 0o700) != 0 {
            throw ConfigurationError(
                setting: "SIGHTSCREEN_RUN_DIR",
                problem: "cannot close \"\(folder)\" to others: \(String(cString: strerror(errno)))")
        }
        return folder
    }
}
