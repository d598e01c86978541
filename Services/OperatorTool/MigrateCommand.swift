import ArgumentParser
import FoundationEssentials
import Postgres
import Store

/// `sightscreen migrate`: brings the database's schema up to date; safe to run again and beside running services.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the database's schema up to date. Safe to repeat; two at once wait for each other.")

    @Option(help: "libpq URL of the database; by default DATABASE_URL.")
    var databaseURL: String?

    func run() async throws {
        guard let url = try databaseURL ?? Self.databaseURL(ProcessInfo.processInfo.environment) else {
            throw ValidationError("DATABASE_URL: missing; set it, or give --database-url")
        }
        let pool = try PostgresPool(url: url, size: 1, applicationName: "sightscreen-migrate")
        try await pool.waitUntilReachable { Output.error("waiting for PostgreSQL: \($0)") }
        let applied = try await Migrator(pool: pool).migrate()
        await pool.close()
        print(applied.isEmpty ? "The schema is up to date." : "Applied \(applied.joined(separator: ", ")).")
    }

    /// `DATABASE_URL`, or what is in the file that `DATABASE_URL_FILE` names.
    static func databaseURL(_ environment: [String: String]) throws -> String? {
        if let url = environment["DATABASE_URL"] { return url }
        guard let file = environment["DATABASE_URL_FILE"] else { return nil }
        guard let text = TextFile.read(file) else { throw ValidationError("DATABASE_URL_FILE: cannot read \(file)") }
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }
}
