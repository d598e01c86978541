import Glibc

/// The limit on the process's open files. The default soft limit, often 1,024, is for programs that use select().
enum OpenFiles {
    /// Raises the soft limit to the hard limit, but to at most 65,536; a higher one stays.
    /// - Returns: the limit that now holds.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
