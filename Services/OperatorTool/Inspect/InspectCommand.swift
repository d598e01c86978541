import ArgumentParser
import FoundationEssentials
import Postgres
import SightscreenModels
import Store

/// `sightscreen inspect match|user|device ID`: shows what should exist, what exists, and why something is missing.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows what should exist, what exists, and why something is missing. Changes nothing.",
        discussion: """
            Reads the database. Tokens are shown as the first 8 hex digits of their SHA-256. Ends with status 1 when \
            nothing is known of the id.
            """,
        subcommands: [Match.self, User.self, Device.self])

    struct Match: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a match: state, leases, followers, activities, pushes, and what is missing.")

        @Argument(help: "The match's id.") var id: String
        @OptionGroup var options: InspectOptions

        func validate() throws {
            guard MatchID(id) != nil else { throw ValidationError("\(id) is not a match id: a number below 2^63") }
        }

        func run() async throws {
            guard let match = MatchID(id) else { return }
            try await options.show("match", id, InspectText.lines(of:)) { store, _ in try await store.match(match) }
        }
    }

    struct User: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a user's phones and follows, and what each match comes to on each phone.")

        @Argument(help: "The user's id: the sub of their token; of sightscreen up also the name.") var id: String
        @OptionGroup var options: InspectOptions

        func run() async throws {
            try await options.show("user", id, InspectText.lines(of:)) { store, isOwnRun in
                let found = try await store.user(UserID(id))
                // In the run of `sightscreen up` a name is enough, as for `sightscreen token`.
                guard found == nil, isOwnRun else { return found }
                return try await store.user(UserID(DevelopmentIdentity.subject(of: id)))
            }
        }
    }

    struct Device: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a phone: tokens, registrations, starts and their caps, activities.")

        @Argument(help: "The phone's id, as the app registers it.") var id: String
        @OptionGroup var options: InspectOptions

        func run() async throws {
            try await options.show("device", id, InspectText.lines(of:)) { store, _ in
                try await store.device(DeviceID(id))
            }
        }
    }
}

/// The database to read, and the form of the output.
struct InspectOptions: ParsableArguments {
    @Option(
        name: [.customLong("database-url"), .customLong("database")],
        help: "libpq URL of the database; by default DATABASE_URL, or that of sightscreen up.")
    var databaseURL: String?

    @Flag(help: "Print one JSON object; times are seconds since 1970.") var json = false

    /// - Parameter read: finds the subject; its second argument says whether the database is that of `sightscreen up`,
    ///   used because none was named.
    /// - Throws: `UpError` with status 1 when `read` finds nothing.
    func show<Found: Encodable & Sendable>(
        _ kind: String, _ id: String, _ lines: (Found) -> [String],
        _ read: (InspectStore, Bool) async throws -> Found?
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let named = try databaseURL ?? MigrateCommand.databaseURL(environment)
        guard let url = named ?? DevelopmentDefaults.databaseURL() else {
            throw UpError.setting("DATABASE_URL", "is required; set it, or give --database-url")
        }
        // The counts of a match run side by side.
        let pool = try MigrateCommand.pool(
            url: url, size: 4, applicationName: "sightscreen-inspect", needsWriting: false,
            standIns: MigrateCommand.standIns(environment))
        let found: Found?
        do { found = try await read(InspectStore(pool: pool), named == nil) } catch let error as PostgresError {
            await pool.close()
            throw UpError("the database did not answer: \(error.message)")
        }
        await pool.close()
        guard let found else { throw UpError("nothing is known of \(kind) \(id)") }
        guard json else { return lines(found).forEach { Output.line($0) } }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Output.line(String(decoding: try encoder.encode(found), as: UTF8.self))
    }
}
