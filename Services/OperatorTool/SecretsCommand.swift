import ArgumentParser
import FoundationEssentials
import Postgres
import Processes
import Reactor
import ServiceKit
import Store
import Tokens

/// `sightscreen secrets`: the keys of the push tokens in the database, and the demo's keys.
struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Changes the key of the push tokens in the database, makes keys.",
        subcommands: [DemoSecretsCommand.self, RotateCommand.self, KeysCommand.self],
        defaultSubcommand: DemoSecretsCommand.self)
}

/// `sightscreen secrets demo`: the demo's keys and certificate in a folder, for `compose.yaml`.
struct DemoSecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Makes the demo's keys and certificate where they are missing. Never for production.")

    @Option(help: "The folder they go to.")
    var directory: String

    @Option(help: "A host name under which apns-simulator is reached, besides localhost; may be repeated.")
    var host: [String] = []

    func run() async throws {
        let reactor = Reactor(name: "processes")
        let secrets = DevelopmentSecrets(folder: directory)
        try await secrets.makeWhereMissing(hosts: host, with: ProcessTable(reactor: reactor))
        print("The demo's keys are in \(directory).")
    }
}

/// `sightscreen secrets keys`: prints a new key file on standard output.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Prints new keys for TOKEN_KEY_FILE: one for the lookup, one that encrypts.")

    func run() throws { print(try TokenKeys.generate(), terminator: "") }
}

/// `sightscreen secrets rotate`: makes the newest key of the file replace the one before.
struct RotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: """
            Encrypts all push tokens by the last key of TOKEN_KEY_FILE. First add it to the file of every api-gateway and \
            la-coordinator: while one that runs cannot read it, nothing is changed. Safe to repeat, and beside running \
            services.
            """)

    @Option(help: "libpq URL of the database; by default DATABASE_URL.")
    var databaseURL: String?

    @Option(help: "The key file; by default TOKEN_KEY_FILE.")
    var keyFile: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let url = try databaseURL ?? MigrateCommand.databaseURL(environment) else {
            throw UpError.setting("DATABASE_URL", "is required; set it, or give --database-url")
        }
        guard let cipher = try Self.cipher(keyFile ?? environment[TokenKeyFile.setting]) else {
            throw UpError.setting(TokenKeyFile.setting, "is required; set it, or give --key-file")
        }
        let pool = try MigrateCommand.pool(
            url: url, applicationName: "sightscreen-secrets", standIns: try MigrateCommand.standIns(environment))
        let encryption = TokenEncryption(pool: pool, cipher: cipher)
        do {
            try await encryption.begin()
            let changed = try await encryption.finish { Output.error("\($0): \($1)") }
            print("\(changed) tokens encrypted. New ones are encrypted by the key \(cipher.newestKey).")
        } catch {
            await pool.close()
            throw error is TokenKeyFile.Mismatch ? error : UpError(ErrorChain.describe(error))
        }
        await pool.close()
    }

    /// The cipher of a key file; nil without a file.
    static func cipher(_ path: String?) throws -> TokenCipher? {
        guard let path, !path.isEmpty else { return nil }
        do { return try Settings.tokenKeys(at: path).cipher } catch {
            throw UpError.setting(error.setting, error.problem)
        }
    }
}
