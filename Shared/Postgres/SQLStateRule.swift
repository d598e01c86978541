/// What follows from the SQLSTATE of an error that the server reports. It is the one rule about it; deploy/docs/database.md
/// shows it as a table.
package struct SQLStateRule: Hashable, Sendable {
    /// What becomes of the connection.
    package enum Connection: String, Hashable, Sendable {
        case kept
        /// It gets no further statement, is closed when those under way are answered, and another takes its place.
        case replaced
    }

    /// What is known of the statement.
    package enum Statement: String, Hashable, Sendable {
        /// Nothing was done, because another transaction was first: a repetition may succeed at once.
        case lostRace = "lost a race"
        /// Nothing was done, for a reason that passes or that an operator removes.
        case refused
        /// Nothing was done, and a repetition would fail again: the data or the statement is wrong.
        case wrong
        /// It may have been done.
        case unknown
    }

    package let connection: Connection
    package let statement: Statement
    /// The label of the failure's metric; nil: that of the error's code.
    package let label: String?
    /// Why a process whose connections fail so is not ready, without names and secrets; nil if it stays ready.
    package let notReady: String?

    private init(
        _ connection: Connection, _ statement: Statement, label: String? = nil, notReady: String? = nil
    ) {
        self.connection = connection
        self.statement = statement
        self.label = label
        self.notReady = notReady
    }

    /// The rules by SQLSTATE or by its class, the first two characters.
    package static let all: [String: SQLStateRule] = [
        "08": Self(.replaced, .unknown),
        // A cached plan must not change its result type: the statement is prepared anew.
        "0A": Self(.kept, .refused),
        "21": Self(.kept, .wrong),
        "22": Self(.kept, .wrong),
        "23": Self(.kept, .wrong),
        "23503": Self(.kept, .refused),
        "23505": Self(.kept, .lostRace),
        "25": Self(.kept, .refused),
        // The session is read-only, for good if it began while that was the default.
        "25006": Self(.replaced, .refused, label: "readOnly", notReady: "PostgreSQL is read-only"),
        "25P03": Self(.replaced, .unknown),
        // A prepared statement is not there, or is there already: the session is not ours alone.
        "26": Self(.replaced, .refused),
        "28": Self(.replaced, .refused, notReady: "PostgreSQL refuses the role or its password"),
        "3D": Self(.replaced, .refused, notReady: "PostgreSQL has no such database"),
        "40": Self(.kept, .refused),
        "40001": Self(.kept, .lostRace),
        "40003": Self(.replaced, .unknown),
        "40P01": Self(.kept, .lostRace),
        "42": Self(.kept, .wrong),
        // A right that an operator can grant.
        "42501": Self(.kept, .refused),
        "42P05": Self(.replaced, .refused),
        "44": Self(.kept, .wrong),
        "53": Self(.kept, .refused),
        "53100": Self(.kept, .refused, label: "diskFull"),
        "53300": Self(
            .replaced, .refused, label: "tooManyConnections", notReady: "PostgreSQL has no connection left"),
        "54": Self(.kept, .wrong),
        "55": Self(.kept, .refused),
        "57": Self(.replaced, .unknown),
        "57014": Self(.kept, .unknown),
        "58": Self(.kept, .refused),
        // The server's own fault: a new session begins with fresh memory.
        "XX": Self(.replaced, .refused),
    ]

    /// The rule of every other class.
    package static let others = Self(.kept, .refused)

    package static func of(_ sqlState: String) -> Self { all[sqlState] ?? all[String(sqlState.prefix(2))] ?? others }
}
