/// The failure of a query, a transaction or a connection. A caller decides by `code`; `message` is for the log and
/// never holds parameter values.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The server cannot be reached. Nothing was sent, so a retry is safe.
        case unavailable
        /// The connection string is malformed, or would send a password unprotected; the message continues a sentence
        /// that begins with the setting's name.
        case configuration
        /// There was no answer in time, or the server stopped the statement (`statement_timeout`). A write may have
        /// happened.
        case deadline
        /// The statement violates a constraint; the value is its SQLSTATE, of class 23.
        case constraint(String)
        /// A serialization failure or a deadlock: the transaction was rolled back and can be run again.
        case serialization
        /// Any other error that the server reports, by its SQLSTATE.
        case server(String)
        /// A column is missing, null or of another type than the reader expects.
        case decoding
        /// The connection was lost after the query had been sent: it may have been executed or not.
        case outcomeUnknown
        /// The server would lose committed rows in a crash (`fsync`, `full_page_writes` or `synchronous_commit` is
        /// off).
        case notDurable
    }

    public var code: Code
    public var message: String
    public var sqlState: String?
    /// The constraint's name for `.constraint`, if the server names it.
    public var constraint: String?

    package init(_ code: Code, _ message: String, sqlState: String? = nil, constraint: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.constraint = constraint
    }

    /// Makes an error that the server reported; its SQLSTATE decides the code.
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
