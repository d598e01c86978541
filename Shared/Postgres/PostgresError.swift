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
        let code: Code =
            switch SQLStateRule.of(sqlState).statement {
            case .unknown: sqlState == "57014" ? .deadline : .outcomeUnknown
            case .lostRace where sqlState.hasPrefix("40"): .serialization
            case _ where sqlState.hasPrefix("23"): .constraint(sqlState)
            default: .server(sqlState)
            }
        self.init(code, message, sqlState: sqlState, constraint: constraint)
    }

    /// Makes an error from libpq's verbose message about a connection that was not made: the only place where libpq shows
    /// the SQLSTATE then.
    init(connecting message: String) {
        // The words before the message: where the server was sought, the severity, and `53300:`.
        var words = message.split(separator: " ")
        let place = words.firstIndex { word in
            let state = word.utf8.dropLast()
            return state.count == 5 && word.last == ":" && state.contains { (0x30...0x39).contains($0) }
                && state.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        }
        let state = place.map { String(words.remove(at: $0).dropLast()) }
        self.init(.unavailable, words.joined(separator: " "), sqlState: state)
    }

    /// What follows from the server's error; nil if the error is not the server's.
    package var rule: SQLStateRule? { sqlState.map(SQLStateRule.of) }

    public var description: String {
        let state = sqlState.map { " [\($0)]" } ?? ""
        return "postgres: \(message)\(state)"
    }
}
