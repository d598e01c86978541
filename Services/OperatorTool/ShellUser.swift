import FoundationEssentials
import Glibc

/// The user of the shell in which a command runs, as `admin_audit` names them.
enum ShellUser {
    /// `shell:asha@host`. With sudo it is the caller of sudo.
    static func actor() -> String {
        let login =
            ProcessInfo.processInfo.environment["SUDO_USER"]
            ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? String(geteuid())
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        return
            "shell:\(login)@\(String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))"
    }
}
