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
            throw UpError.setting("DATABASE_URL", "is required; set it, or give --database-url")
        }
        let pool = try Self.pool(url: url, applicationName: "sightscreen-migrate")
        try await pool.waitUntilReachable { Output.error("waiting for PostgreSQL: \($0)") }
        let applied = try await Migrator(pool: pool).migrate { Output.error($0) }
        await pool.close()
        print(applied.isEmpty ? "The schema is up to date." : "Applied \(applied.joined(separator: ", ")).")
    }

    /// Few connections; libpq's own words for a URL it does not understand may hold its password.
    static func pool(url: String, size: Int = 1, applicationName: String) throws -> PostgresPool {
        do {
            return try PostgresPool(url: url, size: size, applicationName: applicationName)
        } catch {
            throw UpError.setting("DATABASE_URL", "is not a URL like postgresql://user@host:5432/name")
        }
    }

    /// `DATABASE_URL`, or what is in the file that `DATABASE_URL_FILE` names.
    static func databaseURL(_ environment: [String: String]) throws -> String? {
        if let url = environment["DATABASE_URL"], !url.isEmpty { return url }
        guard let file = environment["DATABASE_URL_FILE"] else { return nil }
        guard let text = TextFile.read(file) else { throw UpError.setting("DATABASE_URL_FILE", "cannot read \(file)") }
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }
}
