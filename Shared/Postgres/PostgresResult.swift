/// The answer to one statement.
public struct PostgresResult: Sendable {
    public var rows: [PostgresRow]
    /// The server's tag, for example "UPDATE 3" or "COMMIT".
    public var commandTag: String
    /// The number of rows that were inserted, updated, deleted or returned.
    public var affectedRows: Int
}
