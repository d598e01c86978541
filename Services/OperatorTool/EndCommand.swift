import ArgumentParser
import FoundationEssentials
import Postgres
import SightscreenModels

/// `sightscreen end MATCH`: ends a match that nobody reports any more.
struct EndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends a match that nobody reports any more: its cards say \"No news\" and end without an alert.",
        discussion: """
            As event-bus does by itself after SILENCE_AFTER. The match opens again when the provider reports a change of \
            it; to keep back what is reported wrongly there is the hold. Ends with status 1 when nothing is known of \
            the match, or no event-bus does it within the wait.
            """)

    @Argument(help: "The match's id.") var id: String

    @Option(help: "libpq URL of the database; by default DATABASE_URL, or that of sightscreen up.")
    var databaseURL: String?

    @Option(help: "How many seconds to wait for an event-bus.") var wait = 30

    func validate() throws {
        guard MatchID(id) != nil else { throw ValidationError("\(id) is not a match id: a number below 2^63") }
    }

    func run() async throws {
        guard let match = MatchID(id) else { return }
        let pool = try Self.pool(databaseURL, applicationName: "sightscreen-end")
        let ended: Bool
        do { ended = try await end(match, EndStore(pool: pool)) } catch let error as PostgresError {
            await pool.close()
            throw UpError("the database did not answer: \(error.message)")
        }
        await pool.close()
        guard ended else { throw UpError("match \(id) is to be ended, but no event-bus did it within \(wait) s") }
    }

    /// The pool of a command on the services' database: the one that is named, or in `DATABASE_URL`, or of `sightscreen up`.
    static func pool(_ named: String?, applicationName: String) throws -> PostgresPool {
        let environment = ProcessInfo.processInfo.environment
        guard let url = try named ?? MigrateCommand.databaseURL(environment) ?? DevelopmentDefaults.databaseURL() else {
            throw UpError.setting("DATABASE_URL", "is required; set it, or give --database-url")
        }
        return try MigrateCommand.pool(
            url: url, applicationName: applicationName, standIns: MigrateCommand.standIns(environment))
    }

    private func end(_ match: MatchID, _ store: EndStore) async throws -> Bool {
        switch try await store.ask(match, actor: ShellUser.actor()) {
        case .unknown: throw UpError("nothing is known of match \(id)")
        case .over:
            print("Match \(id) is over already.")
            return true
        case .asked: break
        }
        let until = ContinuousClock.now + .seconds(wait)
        while ContinuousClock.now < until {
            if try await store.state(of: match) == .over {
                print("Match \(id) has ended; its cards end within half a minute.")
                return true
            }
            try await Task.sleep(for: .milliseconds(250))
        }
        return false
    }
}
