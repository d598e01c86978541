import ArgumentParser
import FoundationEssentials
import Postgres
import ServiceKit
import Store
import Tokens

/// `sightscreen erase`: erases accounts again after a restore of the database.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "After a restore: erases the accounts again that were deleted since the backup.",
        discussion: """
            To be run when the database is restored and migrated, before the services start. It also notes that the \
            database went back, so that no phone gets a second card; with an empty file it does that alone. Safe to \
            repeat. Without the deletions' lines nobody can tell whose accounts they were.
            """)

    @Option(
        help: """
            The gateways' log of the time since the backup, as text or JSON: what is not the line of a deletion is passed \
            over. Or the hashes alone (security.account), one a line.
            """)
    var hashed: String

    @Option(help: "libpq URL of the database; by default DATABASE_URL.")
    var databaseURL: String?

    @Option(help: "The key file that the hashes were made with; by default TOKEN_KEY_FILE.")
    var keyFile: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let url = try databaseURL ?? MigrateCommand.databaseURL(environment) else {
            throw UpError.setting("DATABASE_URL", "is required; set it, or give --database-url")
        }
        guard let path = keyFile ?? environment[TokenKeyFile.setting], !path.isEmpty else {
            throw UpError.setting(TokenKeyFile.setting, "is required; set it, or give --key-file")
        }
        guard let text = TextFile.read(hashed) else { throw UpError("\(hashed): cannot be read") }
        let hashes = Self.hashes(in: text)
        let pool = try MigrateCommand.pool(
            url: url, size: 2, applicationName: "sightscreen-erase", standIns: try MigrateCommand.standIns(environment))
        let store = ErasureStore(pool: pool, vault: TokenVault(try Self.keys(at: path)))
        do {
            let erased = try await store.erase(hashed: hashes)
            try await store.noteWentBack()
            print("\(erased) of \(hashes.count) deleted accounts were there again, and are erased.")
        } catch {
            await pool.close()
            throw UpError(ErrorChain.describe(error))
        }
        await pool.close()
    }

    private static func keys(at path: String) throws -> TokenKeyFile {
        do { return try Settings.tokenKeys(at: path) } catch { throw UpError.setting(error.setting, error.problem) }
    }

    /// The hashes of deleted accounts: lines of a gateway's log, as text or as JSON, or the hashes alone.
    static func hashes(in text: String) -> Set<String> {
        Set(
            text.split(whereSeparator: \.isNewline).compactMap { line in
                let words = line.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0)) }
                if words.count == 1 { return words.first.map(String.init) }
                guard words.contains("account-deleted"), let name = words.firstIndex(of: "security.account") else {
                    return nil
                }
                return words.dropFirst(name + 1).first.map(String.init)
            })
    }
}
