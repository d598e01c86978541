import ArgumentParser
import FoundationEssentials
import Postgres

/// `registration-lab verify`: whether the last registration of each phone that was acknowledged, or a later one, is in
/// the database, and nothing that was never sent.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compares acknowledged rounds with the database.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "A file with a line for each phone: number, last round acknowledged, last round sent.")
    var acknowledged: String
    @Option(help: "TOKEN_KEY_FILE, where tokens are encrypted.") var keyFile: String?

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "registration-lab")
        let stored = try await LabRounds.stored(pool, try LabPhones.vault(keyFile))
        await pool.close()
        let text = String(decoding: try Data(contentsOf: URL(filePath: acknowledged)), as: UTF8.self)
        var rounds = LabRounds.Count()
        for line in text.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 3 else { throw ValidationError("\(acknowledged): not three numbers") }
            rounds.add(acknowledged: numbers[1], sent: numbers[2], stored: stored[numbers[0]] ?? 0)
        }
        print(rounds.json)
        if !rounds.isGood { throw ExitCode(1) }
    }
}
