import TestKit
import Testing

@testable import Postgres

/// What becomes of connection, statement and process when the server reports an error: the page and the server against
/// the rule.
@Suite struct SQLStateRuleTests {
    /// All classes of PostgreSQL's appendix A that are errors.
    private static let classes = [
        "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "20", "21", "22", "23", "24", "25", "26", "27", "28",
        "2B",
        "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40", "42", "44", "53", "54", "55", "57", "58", "72", "F0",
        "HV",
        "P0", "XX",
    ]

    /// A row of the page's table, in its words.
    private struct Row: Equatable {
        var connection: String
        var statement: String
        var code: String
        var process: String

        init(_ rule: SQLStateRule) {
            connection = rule.connection.rawValue
            statement = rule.statement.rawValue
            code = rule.label ?? ""
            process = rule.notReady ?? ""
        }

        /// - Parameter cells: after the states and their meaning.
        init(_ cells: [String]) {
            (connection, statement, code, process) = (cells[0], cells[1], cells[2], cells[3])
        }
    }

    private static func page() throws -> [String: Row] {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try Tool.read("/\(folder)/deploy/docs/database.md")
        var rows: [String: Row] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { cell in
                String(cell.trimmingPrefix { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                    .replacing("`", with: "")
            }
            guard cells.count == 6 else { continue }
            for state in cells[0].split(separator: " ") { rows[String(state)] = Row(Array(cells[2...])) }
        }
        return rows
    }

    @Test func thePageSaysWhatTheRuleSays() throws {
        let page = try Self.page()
        for (state, rule) in SQLStateRule.all { #expect(page[state] == Row(rule), "\(state)") }
        for state in Self.classes where SQLStateRule.all[state] == nil {
            #expect(page[state] == Row(SQLStateRule.others), "\(state)")
        }
        #expect(Set(page.keys) == Set(SQLStateRule.all.keys).union(Self.classes))
    }

    /// Each error comes from a real server.
    @Test func connectionsAreKeptOrReplacedAsTheRuleSays() async throws {
        try await withDatabase(migrated: false) { pool in
            func session() async throws -> Int? {
                try await pool.query("SELECT pg_backend_pid() AS pid").first?.int("pid")
            }
            for (state, rule) in SQLStateRule.all.sorted(by: { $0.key < $1.key }) {
                let state = state.utf8.count == 2 ? "\(state)000" : state
                let before = try await session()
                let error = await #expect(throws: PostgresError.self, "\(state)") {
                    try await pool.execute("DO $$ BEGIN RAISE 'on purpose' USING ERRCODE = '\(state)'; END $$")
                }
                #expect(error?.sqlState == state)
                #expect(try await (session() == before) == (rule.connection == .kept), "\(state)")
            }
        }
    }

    /// A statement that somebody took out of the session is no lasting trouble.
    @Test func aLostStatementIsPreparedAnewOnAnotherConnection() async throws {
        try await withDatabase(migrated: false) { pool in
            _ = try await pool.query("SELECT 1")
            _ = try await pool.query("DEALLOCATE ALL")
            let error = await #expect(throws: PostgresError.self) { _ = try await pool.query("SELECT 1") }
            #expect(error?.sqlState == "26000")
            #expect(try await pool.query("SELECT 1").count == 1)
        }
    }

    @Test(arguments: [
        (
            "connection to server at \"10.0.0.3\", port 5432 failed: FATAL:  53300: sorry, too many clients already",
            "53300", "connection to server at \"10.0.0.3\", port 5432 failed: FATAL: sorry, too many clients already"
        ),
        ("connection failed: FATAL:  28P01: no: 12345: at all", "28P01", "connection failed: FATAL: no: 12345: at all"),
        ("connection failed: FATAL: without one", nil, "connection failed: FATAL: without one"),
        ("connection failed: Connection refused", nil, "connection failed: Connection refused"),
    ])
    func theStateOfARefusedConnectionIsRead(_ text: String, _ state: String?, _ message: String) {
        let error = PostgresError(connecting: text)
        #expect(error.code == .unavailable)
        #expect(error.sqlState == state)
        #expect(error.message == message)
    }
}
