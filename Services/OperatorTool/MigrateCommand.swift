import ArgumentParser
import FoundationEssentials
import Postgres
import ServiceKit
import Store
import Tokens

/// `sightscreen migrate`: brings the database's schema up to date; safe to run again and beside running services.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the database's schema up to date. Safe to repeat; two at once wait for each other.")

    @Option(help: "libpq URL of the database; by default DATABASE_URL.")
    var databaseURL: String?

    @Option(help: "How many seconds to wait for the database; after that it ends with status 1.")
    var wait = 30

    func run() async throws {
        guard let url = try databaseURL ?? Self.databaseURL(ProcessInfo.processInfo.environment) else {
            throw UpError.setting("DATABASE_URL", "is required; set it, or give --database-url")
        }
        let cipher = try RotateCommand.cipher(ProcessInfo.processInfo.environment[TokenKeyFile.setting])
        let pool = try Self.pool(
            url: url, applicationName: "sightscreen-migrate",
            standIns: Self.standIns(ProcessInfo.processInfo.environment))
        do {
            try await pool.waitUntilReachable(within: .seconds(wait)) {
                Output.error("waiting for PostgreSQL: \($0)")
            }
            try await pool.checkSessions()
        } catch let error as PostgresError {
            await pool.close()
            if error.code == .configuration { throw UpError.setting("DATABASE_URL", error.message) }
            throw UpError("DATABASE_URL: the database \(pool.place) cannot be used: \(error.message)")
        }
        let applied = try await Migrator(pool: pool).migrate { Output.error($0) }
        let encryption = cipher.map { TokenEncryption(pool: pool, cipher: $0) }
        let key: String?
        do {
            _ = try await encryption?.beginIfEmpty()
            key = try await encryption?.writingKey()
        } catch let error as TokenKeyFile.Mismatch {
            await pool.close()
            throw error
        }
        await pool.close()
        print(applied.isEmpty ? "The schema is up to date." : "Applied \(applied.joined(separator: ", ")).")
        if let key {
            print("Push tokens are encrypted by the key \(key).")
        } else if encryption != nil {
            print(
                "Push tokens are in clear: for a database of stand-ins alone. To encrypt them: sightscreen secrets rotate"
            )
        }
    }

    /// A pool of few connections, with the same rules as in the services.
    static func pool(
        url: String, size: Int = 1, applicationName: String, needsWriting: Bool = true, standIns: Bool
    ) throws -> PostgresPool {
        do {
            return try DatabaseSetting(url: Secret(url), needsWriting: needsWriting, standIns: standIns)
                .pool(size: size, applicationName: applicationName)
        } catch { throw UpError.setting(error.setting, error.problem) }
    }

    /// The switch `SIGHTSCREEN_STAND_INS`, read as the services read it.
    static func standIns(_ environment: [String: String]) throws -> Bool {
        do { return try Settings.standIns(environment) } catch { throw UpError.setting(error.setting, error.problem) }
    }

    /// The URL in `DATABASE_URL`, or in the file that `DATABASE_URL_FILE` names.
    static func databaseURL(_ environment: [String: String]) throws -> String? {
        if let url = environment["DATABASE_URL"], !url.isEmpty { return url }
        guard let file = environment["DATABASE_URL_FILE"] else { return nil }
        do { return try SecretFile.read(path: file, setting: "DATABASE_URL_FILE").reveal() } catch {
            throw UpError.setting(error.setting, error.problem)
        }
    }
}
