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
    /// In the order in which they are tried; service files and PG* variables are read.
    let hosts: [PostgresHost]
    /// Empty where nothing leaves the machine, and with stand-ins.
    let security: [(String, String)]
    /// For a message.
    let place: String
    private let userOptions: String
    private let resolvedNames: String?

    /// - Parameter standIns: allow what `TransportSecurity` refuses.
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

    /// - Parameter addresses: one per entry of `hosts`, "" for a Unix socket.
    func parameters(addresses: [String]) -> [(String, String)] {
        let limits = Self.serverLimits.map { "-c \($0)" }.joined(separator: " ")
        var parameters = [
            ("dbname", url), ("application_name", applicationName), ("client_encoding", "UTF8"),
            ("options", userOptions.isEmpty ? limits : "\(limits) \(userOptions)"), ("gssencmode", "disable"),
            ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
            ("keepalives_count", "3"),
        ]
        parameters += security
        // A service file may have been written anew: the hosts that were checked are connected to.
        if let resolvedNames { parameters.append(("host", resolvedNames)) }
        if addresses.contains(where: { !$0.isEmpty }) {
            parameters.append(("hostaddr", addresses.joined(separator: ",")))
        }
        return parameters
    }
}
