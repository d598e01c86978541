import ArgumentParser
import Postgres
import Store

/// `registration-lab seed`: an empty database becomes one with a match in play that everybody follows.
struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Makes tables, phones, follows and pending activities.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "How many users, with one phone each.") var users = 20_000

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "registration-lab")
        _ = try await Migrator(pool: pool).migrate()
        try await LabPhones.seed(users, pool)
        await pool.close()
    }
}
