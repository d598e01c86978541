public import Postgres
public import Reactor

/// The setting `DATABASE_URL`, checked. Every service's pool is made from it.
public struct DatabaseSetting: Sendable {
    static let name = "DATABASE_URL"

    private let url: Secret
    private let standIns: Bool

    /// - Parameter standIns: allows unprotected traffic to another machine.
    /// - Throws: `ConfigurationError` if it is not a PostgreSQL URL, or asks for less than `sslmode=verify-full` with
    ///   another machine.
    public init(url: Secret, standIns: Bool) throws(ConfigurationError) {
        let text = url.reveal()
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw ConfigurationError(setting: Self.name, problem: "is not a URL like postgresql://user@host:5432/name")
        }
        self.url = url
        self.standIns = standIns
        try Self.naming { try PostgresPool.check(url: text, standIns: standIns) }
    }

    /// Makes a connection pool. The parameters are those of `PostgresPool`.
    public func pool(
        size: Int = 4, applicationName: String, reactor: Reactor = PostgresPool.sharedReactor
    ) throws(ConfigurationError) -> PostgresPool {
        try Self.naming {
            try PostgresPool(
                url: url.reveal(), size: size, applicationName: applicationName, standIns: standIns, reactor: reactor)
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
