/// Why a query, a transaction or a connection failed. A caller decides by `code`; `message` is for the log and never
/// holds parameter values.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The server cannot be reached. Nothing was sent: trying again is safe.
        case unavailable
        /// The connection string is malformed, or would send a password unprotected; the message goes on after its name.
        case configuration
        /// No answer in time, or the server stopped the statement (`statement_timeout`). A write may have happened.
        case deadline
        /// SQLSTATE class 23.
        case constraint(String)
        /// A serialization failure or a deadlock: the transaction was rolled back, run it again.
        case serialization
        /// Any other refusal of the server, by its SQLSTATE.
        case server(String)
        /// A column is missing, null or of another type than the reader expects.
        case decoding
        /// The connection was lost after the query had been sent: it may have happened or not.
        case outcomeUnknown
        /// The server would lose committed rows in a crash (`fsync`, `full_page_writes` or `synchronous_commit` is off).
        case notDurable
    }

    public var code: Code
    public var message: String
    public var sqlState: String?
    /// The constraint's name for `.constraint`, when the server names it.
    public var constraint: String?

    public init(_ code: Code, _ message: String, sqlState: String? = nil, constraint: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.constraint = constraint
    }

    /// An error the server reported, sorted by its SQLSTATE.
    init(sqlState: String, message: String, constraint: String?) {
        let code: Code
        switch sqlState {
        case "57014": code = .deadline
        case "40001", "40P01": code = .serialization
        case "57P01", "57P02", "57P03", "25P03", "57P05": code = .outcomeUnknown
        case _ where sqlState.hasPrefix("23"): code = .constraint(sqlState)
        case _ where sqlState.hasPrefix("08"): code = .outcomeUnknown
        default: code = .server(sqlState)
        }
        self.init(code, message, sqlState: sqlState, constraint: constraint)
    }

    public var description: String {
        let state = sqlState.map { " [\($0)]" } ?? ""
        return "postgres: \(message)\(state)"
    }
}
