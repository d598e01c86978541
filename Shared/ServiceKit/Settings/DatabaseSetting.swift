public import Postgres
public import Reactor

/// The setting `DATABASE_URL`, checked. Every service's pool is made from it.
public struct DatabaseSetting: Sendable {
    static let name = "DATABASE_URL"

    private let url: Secret
    private let needsWriting: Bool
    private let standIns: Bool

    /// - Parameters:
    ///   - needsWriting: whether a server that cannot write is refused.
    ///   - standIns: allows unprotected traffic to another machine.
    /// - Throws: `ConfigurationError` if it is not a PostgreSQL URL, asks for less than `sslmode=verify-full` with
    ///   another machine, or for a server that cannot write.
    public init(url: Secret, needsWriting: Bool = true, standIns: Bool) throws(ConfigurationError) {
        let text = url.reveal()
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw ConfigurationError(setting: Self.name, problem: "is not a URL like postgresql://user@host:5432/name")
        }
        self.url = url
        self.needsWriting = needsWriting
        self.standIns = standIns
        try Self.naming { try PostgresPool.check(url: text, needsWriting: needsWriting, standIns: standIns) }
    }

    /// Makes a connection pool. The parameters are those of `PostgresPool`.
    public func pool(
        size: Int = 4, applicationName: String, reactor: Reactor = PostgresPool.sharedReactor
    ) throws(ConfigurationError) -> PostgresPool {
        try Self.naming {
            try PostgresPool(
                url: url.reveal(), size: size, applicationName: applicationName, needsWriting: needsWriting,
                standIns: standIns, reactor: reactor)
        }
    }

    private static func naming<R>(_ body: () throws -> R) throws(ConfigurationError) -> R {
        do { return try body() } catch let error as PostgresError {
            throw ConfigurationError(setting: name, problem: error.message)
        } catch {
            throw ConfigurationError(setting: name, problem: "cannot be used")
        }
    }
}
