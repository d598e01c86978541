import CPostgres
import Glibc

/// Where and how to connect: what `PQconnectStartParams` is given.
struct PostgresConfiguration: Sendable {
    static let connectTimeout: Duration = .seconds(3)
    /// What the server itself enforces, so that a lost client cannot hold locks for long; and how it works for us.
    static let serverLimits = [
        "statement_timeout=5s", "lock_timeout=2s", "idle_in_transaction_session_timeout=5s", "TimeZone=UTC",
        "client_min_messages=warning",
        // A compiled plan pays off after seconds; ours are to take milliseconds, and a wrong guess of the planner costs 60.
        "jit=off",
    ]

    let url: String
    let applicationName: String
    /// Host names in the URL, in order; paths of Unix sockets and addresses among them.
    let hosts: [String]
    private let userOptions: String

    init(url: String, applicationName: String) throws {
        self.url = url
        self.applicationName = applicationName
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            // libpq's message may quote the URL, and with it a password: it is not passed on.
            if let message { PQfreemem(message) }
            throw PostgresError(.unavailable, "the database URL is not a PostgreSQL connection string")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let needsNames = values["hostaddr"] == nil
        hosts = needsNames ? (values["host"] ?? "").split(separator: ",").map(String.init) : []
        userOptions = values["options"] ?? ""
    }

    /// - Parameter addresses: one per entry of `hosts`, "" for the path of a Unix socket.
    func parameters(addresses: [String]) -> [(String, String)] {
        let limits = Self.serverLimits.map { "-c \($0)" }.joined(separator: " ")
        var parameters = [
            ("dbname", url), ("application_name", applicationName), ("client_encoding", "UTF8"),
            ("options", userOptions.isEmpty ? limits : "\(limits) \(userOptions)"), ("gssencmode", "disable"),
            ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
            ("keepalives_count", "3"),
        ]
        if addresses.contains(where: { !$0.isEmpty }) {
            parameters.append(("hostaddr", addresses.joined(separator: ",")))
        }
        return parameters
    }
}
