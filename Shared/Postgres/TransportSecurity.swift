import CPostgres
import Glibc

/// The protection of connections that leave this machine, so that no password and no row travels unprotected. libpq by
/// itself sends the password also to a server that declines TLS, or whose certificate it does not check.
enum TransportSecurity {
    private struct Rule {
        let option: String
        let variable: String
        /// libpq's default; a connection string without the option has this value.
        let usual: String
        let required: String
    }

    private static let rules = [
        Rule(option: "sslmode", variable: "PGSSLMODE", usual: "prefer", required: "verify-full"),
        Rule(option: "channel_binding", variable: "PGCHANNELBINDING", usual: "prefer", required: "require"),
    ]

    /// Returns the options to connect with, in front of all others.
    ///
    /// - Parameters:
    ///   - written: the options in the connection string.
    ///   - resolved: the options that libpq makes of it.
    /// - Throws: `.configuration` if something weaker was asked for, or the CA's certificate cannot be read.
    static func options(
        for host: PostgresHost, written: [String: String], resolved: [String: String],
        environment: (String) -> String? = Self.variable
    ) throws -> [(String, String)] {
        var options: [(String, String)] = []
        for rule in rules {
            let value = resolved[rule.option] ?? rule.usual
            let isWritten = written[rule.option] != nil || environment(rule.variable)?.isEmpty == false
            guard value == rule.required || value == rule.usual && !isWritten else {
                throw PostgresError(
                    .configuration,
                    "\(host.description) is not on this machine, and \(rule.option)=\(value) does not protect the password and the data on the way; write \(rule.option)=\(rule.required), or leave it out"
                )
            }
            options.append((rule.option, rule.required))
        }
        let file = resolved["sslrootcert"] ?? defaultRootFile(environment)
        // libpq 16 and newer read "system" as the system's own certificates.
        if !(file == "system" && PQlibVersion() >= 160_000), access(file, R_OK) != 0 {
            throw PostgresError(
                .configuration,
                "\(host.description) is not on this machine, and the CA's certificate that proves who answers there cannot be read at \(file); add sslrootcert=FILE"
            )
        }
        options.append(("sslrootcert", file))
        return options
    }

    /// Returns the file that libpq reads by default.
    private static func defaultRootFile(_ environment: (String) -> String?) -> String {
        let name = ".postgresql/root.crt"
        if let home = environment("HOME"), !home.isEmpty { return "\(home)/\(name)" }
        guard let home = getpwuid(geteuid())?.pointee.pw_dir else { return "~/\(name)" }
        return "\(String(cString: home))/\(name)"
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
