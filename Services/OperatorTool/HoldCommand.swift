import ArgumentParser
import Postgres
import SightscreenModels
import Store

/// `sightscreen hold MATCH|--all`: keeps alerts or all pushes from leaving, when the API cannot be asked to.
struct HoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Keeps all pushes from leaving, or alerts only: of a match, or everywhere.",
        discussion: """
            It is written to PostgreSQL, without the API, and recorded in admin_audit with the name of the user. Every \
            la-coordinator obeys within a second. It stays until it is released. Ends with status 1 when nothing is known \
            of the match.
            """)

    enum Kept: EnumerableFlag {
        case pushes, alerts

        static func help(for kept: Kept) -> ArgumentHelp? {
            switch kept {
            case .pushes: "Nothing leaves: no start, no update, no end."
            case .alerts: "Updates leave in silence."
            }
        }
    }

    @OptionGroup var scope: HoldScope

    @Flag var kept = Kept.pushes

    func run() async throws { try await scope.set(kept == .alerts ? .alerts : .pushes) }
}

/// `sightscreen release MATCH|--all`: lifts what `sightscreen hold` or an administrator's call has set.
struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Lifts the hold of a match, or the one for everywhere; the other one stays.")

    @OptionGroup var scope: HoldScope

    func run() async throws { try await scope.set(.none) }
}

/// What is held or released: one match, or everything.
struct HoldScope: ParsableArguments {
    @Argument(help: "The match's id.") var id: String?

    @Flag(help: "Everywhere, instead of one match.") var all = false

    @Option(help: "libpq URL of the database; by default DATABASE_URL, or that of sightscreen up.")
    var databaseURL: String?

    func validate() throws {
        guard (id == nil) == all else { throw ValidationError("name a match, or --all") }
        if let id, MatchID(id) == nil { throw ValidationError("\(id) is not a match id: a number below 2^63") }
    }

    func set(_ level: HoldLevel) async throws {
        let match = id.flatMap { MatchID($0) }
        let pool = try EndCommand.pool(databaseURL, applicationName: "sightscreen-hold")
        let state: HoldState?
        do {
            state = try await HoldOrder(pool: pool).give(level, match: match, actor: ShellUser.actor())
        } catch let error as PostgresError {
            await pool.close()
            throw UpError("the database did not answer: \(error.message)")
        }
        await pool.close()
        guard let state else { throw UpError("nothing is known of match \(id ?? "")") }
        print("\(match.map { "Match \($0)" } ?? "Everywhere"), hold: \(level). \(Self.text(of: state, match))")
    }

    private static func text(of state: HoldState, _ match: MatchID?) -> String {
        if state.level == .none, state.effective != .none {
            return "\(state.effective) are held everywhere: sightscreen release --all"
        }
        guard state.level != .none else { return "Every coordinator goes on within a second." }
        return "Every coordinator obeys within a second. Lift it: sightscreen release \(match?.description ?? "--all")"
    }
}
