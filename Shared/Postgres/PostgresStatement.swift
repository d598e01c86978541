/// One statement and its parameters, to be sent together with others.
public struct PostgresStatement: Sendable {
    public var sql: String
    public var parameters: [PostgresValue]

    public init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
