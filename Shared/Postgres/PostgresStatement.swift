/// One statement and its parameters, for sending together with others.
public struct PostgresStatement: Sendable {
    public var sql: String
    public var parameters: [PostgresValue]

    package init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
