/// A connection that its user has exclusively, inside `PostgresPool.transaction` or `withConnection`.
public struct PostgresTransaction: Sendable {
    let connection: PostgresConnection

    public func query(_ sql: String, _ parameters: [PostgresValue] = [], deadline: Duration = .seconds(5)) async throws
        -> [PostgresRow]
    {
        try await run(sql, parameters, deadline: deadline).rows
    }

    /// Runs one statement.
    /// - Returns: the number of rows that were inserted, updated or deleted.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [PostgresValue] = [], deadline: Duration = .seconds(5))
        async throws
        -> Int
    {
        try await run(sql, parameters, deadline: deadline).affectedRows
    }

    /// Runs several statements, separated by semicolons, without parameters. Nothing else may be in flight.
    public func script(_ sql: String, deadline: Duration = .seconds(60)) async throws {
        try await connection.script(sql, deadline: .now + deadline)
    }

    func run(_ sql: String, _ parameters: [PostgresValue] = [], deadline: Duration = .seconds(5)) async throws
        -> PostgresResult
    {
        try await connection.query(sql, parameters, deadline: .now + deadline)
    }
}
