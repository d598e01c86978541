/// What one statement gave back.
public struct PostgresResult: Sendable {
    public var rows: [PostgresRow]
    /// "UPDATE 3", "COMMIT".
    public var commandTag: String
    /// Rows inserted, updated, deleted or returned.
    public var affectedRows: Int
}
