/// The parameters of a connection, which `PQconnectStartParams` gets.
struct PostgresConfiguration: Sendable {
    static let connectTimeout: Duration = .seconds(3)
    /// The limits that the server itself enforces, so that a client that was lost cannot hold locks for long, and the
    /// session's other settings.
    static let serverLimits = [
        "statement_timeout=5s", "lock_timeout=2s", "idle_in_transaction_session_timeout=5s", "TimeZone=UTC",
        "client_min_messages=warning",
        // Compiling a plan pays off after seconds; our statements should take milliseconds, and a wrong estimate of the
        // planner would cost 60 ms.
        "jit=off",
    ]

    let url: String
    let applicationName: String
    /// The hosts in the order in which they are tried, after service files and PG* variables were read.
    let hosts: [PostgresHost]
    /// The options that `TransportSecurity` requires; empty if no host is remote, and with stand-ins.
    let security: [(String, String)]
    /// The hosts, port and database, for messages.
    let place: String
    private let userOptions: String
    private let resolvedNames: String?

    /// - Parameter standIns: allows what `TransportSecurity` refuses.
    init(url: String, applicationName: String, standIns: Bool = false) throws {
        self.url = url
        self.applicationName = applicationName
        let written = try ConnectionOptions.written(in: url)
        let resolved = try ConnectionOptions.resolved(url)
        hosts = PostgresHost.list(names: resolved["host"], addresses: resolved["hostaddr"])
        let remote = standIns ? nil : hosts.first { !$0.isLocal }
        security =
            try remote.map { try TransportSecurity.options(for: $0, written: written, resolved: resolved) } ?? []
        resolvedNames = resolved["host"]
        let ports = resolved["port"].map { ":\($0)" } ?? ""
        place = hosts.map(\.description).joined(separator: ",") + "\(ports)/\(resolved["dbname"] ?? "")"
        userOptions = written["options"] ?? ""
    }

    /// - Parameter addresses: one for each of `hosts`, "" for a Unix socket.
    func parameters(addresses: [String]) -> [(String, String)] {
        let limits = Self.serverLimits.map { "-c \($0)" }.joined(separator: " ")
        var parameters = [
            ("dbname", url), ("application_name", applicationName), ("client_encoding", "UTF8"),
            ("options", userOptions.isEmpty ? limits : "\(limits) \(userOptions)"), ("gssencmode", "disable"),
            ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
            ("keepalives_count", "3"),
        ]
        parameters += security
        // The hosts are passed explicitly, because a service file may have changed since they were checked.
        if let resolvedNames { parameters.append(("host", resolvedNames)) }
        if addresses.contains(where: { !$0.isEmpty }) {
            parameters.append(("hostaddr", addresses.joined(separator: ",")))
        }
        return parameters
    }
}
