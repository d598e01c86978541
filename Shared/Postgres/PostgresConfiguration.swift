/// The parameters of a connection, which `PQconnectStartParams` gets, and what its session begins with.
struct PostgresConfiguration: Sendable {
    /// The longest time that one address gets to accept a connection, and then to begin the session.
    static let connectTimeout: Duration = .seconds(3)
    /// The limits that the server itself enforces, so that a client that was lost cannot hold locks for long, and the
    /// session's other settings.
    static let sessionSettings = [
        ("statement_timeout", "5s"), ("lock_timeout", "2s"), ("idle_in_transaction_session_timeout", "5s"),
        ("TimeZone", "UTC"), ("client_min_messages", "warning"),
        // Compiling a plan pays off after seconds; our statements should take milliseconds, and a wrong estimate of the
        // planner would cost 60 ms.
        ("jit", "off"),
    ]
    /// The first statement of each session. The settings are no startup options, because a connection pooler refuses those
    /// or drops them. Whether the session can write is asked here, because a pooler answers libpq's own question
    /// (`target_session_attrs`) from memory.
    static let sessionBegin =
        "SELECT "
        + sessionSettings.map { "set_config('\($0)', '\($1)', false), " }.joined()
            + """
            current_setting('transaction_read_only')::boolean AS read_only, pg_is_in_recovery() AS in_recovery,
            pg_backend_pid() AS pid
            """

    let url: String
    let applicationName: String
    /// The hosts in the order in which they are tried, after service files and PG* variables were read.
    let hosts: [PostgresHost]
    /// The options that `TransportSecurity` requires; empty if no host is remote, and with stand-ins.
    let security: [(String, String)]
    /// Whether a session that cannot write is refused.
    let needsWriting: Bool
    /// The hosts, port and database, for messages.
    let place: String

    /// - Parameters:
    ///   - needsWriting: whether sessions have to be able to write.
    ///   - standIns: allows what `TransportSecurity` refuses.
    init(url: String, applicationName: String, needsWriting: Bool = true, standIns: Bool = false) throws {
        self.url = url
        self.applicationName = applicationName
        self.needsWriting = needsWriting
        let written = try ConnectionOptions.written(in: url)
        let resolved = try ConnectionOptions.resolved(url)
        hosts = PostgresHost.list(names: resolved["host"], addresses: resolved["hostaddr"], ports: resolved["port"])
        let remote = standIns ? nil : hosts.first { !$0.isLocal }
        security =
            try remote.map { try TransportSecurity.options(for: $0, written: written, resolved: resolved) } ?? []
        let ports = resolved["port"].map { ":\($0)" } ?? ""
        place = hosts.map(\.description).joined(separator: ",") + "\(ports)/\(resolved["dbname"] ?? "")"
        if hosts.count > 1, hosts.contains(where: { $0.name.isEmpty && $0.address.isEmpty }) {
            throw PostgresError(.configuration, "has an empty host in its list")
        }
        let wanted = resolved["target_session_attrs"] ?? "any"
        if needsWriting, !["any", "primary", "read-write"].contains(wanted) {
            throw PostgresError(
                .configuration,
                "asks for a server that cannot write (target_session_attrs=\(wanted)); leave it out, or write target_session_attrs=read-write"
            )
        }
    }

    /// - Parameter address: of the host; "" for a Unix socket.
    func parameters(of host: PostgresHost, address: String) -> [(String, String)] {
        var parameters = [
            ("dbname", url), ("application_name", applicationName), ("client_encoding", "UTF8"),
            ("gssencmode", "disable"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"),
            ("keepalives_interval", "3"), ("keepalives_count", "3"),
        ]
        if needsWriting { parameters.append(("target_session_attrs", "any")) }
        parameters += security
        // The host is passed explicitly, because a service file may have changed since it was checked; what is empty
        // counts as not passed.
        return parameters + [("host", host.name), ("hostaddr", address), ("port", host.port)]
    }
}
