import ArgumentParser
import FoundationEssentials
import HTTPClient
import Sightscreen
import UnixSignals

/// `sightscreen phones`: the demo's phones, and a match for them to follow.
struct PhonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phones",
        abstract: "Plays a match on mock-sportmonks and follows it with five phones of three users.",
        discussion:
            "Needs a running suite with the stand-ins; `sightscreen up` and compose.yaml start it with all options.")

    static let users: [(name: String, phones: Int)] = [("asha", 2), ("ben", 2), ("chitra", 1)]

    @Option(help: "The HTTP API.")
    var gateway: String = "http://127.0.0.1:8080"

    @Option(help: "The control port of apns-simulator.")
    var apnsControl: String

    @Option(help: "mock-sportmonks.")
    var provider: String

    @Option(help: "The development issuer whose tokens the API accepts.")
    var issuer: String

    @Option(help: "The folder with the development issuer's key.")
    var keys: String

    @Option(help: "The id of the tape to play.")
    var match: Int64 = 1_304_076

    @Option(help: "How many times faster than real.")
    var speed: Double = 40

    @OptionGroup var feed: FeedOptions

    @Flag(help: "Stay after the summary until a signal comes (for a container that is to stay healthy).")
    var stay = false

    @Option(help: "A file that is made once the match is being followed, for a health check.")
    var aliveFile: String?

    @Option(help: "A file whose new lines are shown above the Lock Screen: what `sightscreen up` has to say.")
    var notesFile: String?

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let status = try await withThrowingTaskGroup(of: Int32.self) { group in
            group.addTask {
                for await _ in signals { return 0 }
                return 0
            }
            group.addTask {
                let status = try await follow()
                if stay { try await Task.sleep(for: .seconds(100 * 365 * 86_400)) }
                return status
            }
            defer { group.cancelAll() }
            return try await group.next() ?? 0
        }
        throw ExitCode(status)
    }

    private func follow() async throws -> Int32 {
        let http = HTTPClient(configuration: .init(allowHTTP: true))
        let bearers = try Self.users.map { user in
            (name: user.name, bearerToken: try bearer(for: user.name), phones: user.phones)
        }
        let client = GatewayClient(base: gateway, http: http)
        let fleet = PhoneFleet(users: bearers, gateway: client, apns: SimulatorClient(base: apnsControl, http: http))
        let tape = TapeControl(base: provider, http: http)

        for user in bearers {
            try await Self.patiently("reach the API") { try await Self.forget(user.bearerToken, client) }
        }
        try await Self.patiently("register the phones") { try await fleet.register() }
        let id = try await Self.patiently("load the tape") {
            try await load(tape) { try await client.knows($0, bearer: bearers[0].bearerToken) }
        }
        Output.line("Match \(id) is loaded; waiting until the schedule has it.")
        try await Self.patiently("find match \(id) in the schedule") {
            guard try await client.knows(id, bearer: bearers[0].bearerToken) else {
                throw GatewayClient.Failure("the API does not know the match yet")
            }
        }
        try await fleet.follow(id)
        let phones = await fleet.phones.count
        let times = speed == speed.rounded() ? String(Int(speed)) : String(speed)
        Output.line("\(bearers.count) users follow it on \(phones) phones. It is played at \(times) times its speed.")
        if let aliveFile { try TextFile.write("following \(id)\n", to: aliveFile) }
        _ = try await tape.play(id)
        return try await watch(fleet, id, tape)
    }

    /// Nobody follows anything any more from an earlier run on the same database: a phone that registers is brought what
    /// its user follows.
    private static func forget(_ bearer: String, _ client: GatewayClient) async throws {
        for match in try await client.follows(bearer: bearer) { try await client.unfollow(match, bearer: bearer) }
    }

    /// Under the tape's own id, or, where the database has that match from an earlier run, under one that is new.
    private func load(_ tape: TapeControl, isKnown: (MatchID) async throws -> Bool) async throws -> MatchID {
        let playedBefore = try await isKnown(MatchID(match))
        var id = try await tape.load(String(match), speed: speed, variant: feed.variant, seed: feed.seed)
        guard playedBefore else { return id }
        while try await isKnown(id) {
            _ = try await tape.stop(id)
            id = try await tape.load(String(match), speed: speed, variant: feed.variant, seed: feed.seed)
        }
        return id
    }

    private func watch(_ fleet: PhoneFleet, _ id: MatchID, _ tape: TapeControl) async throws -> Int32 {
        var view = LockScreenView(isTerminal: Output.canRedraw(columns: LockScreenCard.outerWidth))
        var notes = notesFile.map { RunNotes.Reader(path: $0) }
        var progress = 0.0
        var silence = ContinuousClock.now
        var round = 0
        while true {
            notes?.newLines().forEach { view.note($0) { Output.write($0) } }
            let entries = (try? await fleet.receive()) ?? []
            if !entries.isEmpty { silence = .now }
            round += 1
            if round % 10 == 0, let position = try? await tape.position(id) {
                progress = Double(position.cursor) / Double(max(position.frames, 1))
            }
            if !entries.isEmpty { view.show(entries, progress: progress) { Output.write($0) } }
            let phones = await fleet.phones
            if phones.allSatisfy({ !$0.activities.isEmpty && $0.activities.allSatisfy { $0.endedAt != nil } }) { break }
            // Longer than any break of a tape at any speed lets the phones wait, keep-alives included.
            if .now - silence > .seconds(1_300) {
                view.note("Nothing has come for over 20 minutes; giving up.") { Output.write($0) }
                break
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        view.finish { Output.write($0) }
        await fleet.settle()
        // What comes after the end would be a fault: give it a moment to show.
        try await Task.sleep(for: .seconds(2))
        _ = try? await fleet.receive()
        notes?.newLines().forEach { Output.line($0) }
        let summary = MatchSummary(
            phones: await fleet.phones, history: await fleet.history, problems: await fleet.problems)
        summary.lines.forEach { Output.line($0) }
        return summary.faults.isEmpty ? 0 : 1
    }

    private func bearer(for user: String) throws -> String {
        try DevelopmentIdentity(folder: keys).token(
            user: user, isAdmin: false, issuer: issuer, clientID: DevelopmentSecrets.clientID)
    }

    /// Tries again for a minute: the suite may still be starting.
    private static func patiently<Result: Sendable>(
        _ what: String, _ action: @Sendable () async throws -> Result
    ) async throws -> Result {
        let begun = ContinuousClock.now
        var said = false
        while true {
            do {
                return try await action()
            } catch {
                if .now - begun > .seconds(60) {
                    throw GatewayClient.Failure("cannot \(what): \(error)")
                }
                if !said, .now - begun > .seconds(2) {
                    said = true
                    Output.line("Waiting to \(what): \(error)")
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
