import APIGateway
import ArgumentParser
import Glibc
import Postgres
import SightscreenModels
import Store

/// `registration-lab store`: callers that register one token after the other, each as soon as its last one is
/// acknowledged, without HTTP. Every registration is another token of another phone.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Measures registrations per second of the store alone.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "How many callers at a time.") var callers = 64
    @Option(help: "For how long.") var seconds = 5.0
    @Option(help: "The number of the first round: above those of runs before.") var round = 1
    @Option(help: "Connections of the pool, as in api-gateway.") var connections = 8
    @Option(help: "TOKEN_KEY_FILE, where tokens are encrypted.") var keyFile: String?

    /// What one caller has done.
    private struct Tally: Sendable {
        var milliseconds: [Double] = []
        /// By the phone's number.
        var acknowledged: [Int: Int] = [:]
    }

    func run() async throws {
        let pool = try PostgresPool(url: database, size: connections, applicationName: "registration-lab")
        let phones = try await LabPhones(pool).phones
        let vault = try LabPhones.vault(keyFile)
        let store = ActivityTokenStore(pool: pool, vault: vault)
        let end = ContinuousClock.now + .seconds(seconds)
        let begun = ContinuousClock.now
        let usage = Self.processorSeconds()
        let (callers, round) = (callers, round)
        let tallies = try await withThrowingTaskGroup(of: Tally.self) { group in
            for caller in 0..<callers {
                let own = stride(from: caller, to: phones.count, by: callers).map { phones[$0] }
                group.addTask { try await Self.call(store, own, from: round, until: end) }
            }
            return try await group.reduce(into: [Tally]()) { $0.append($1) }
        }
        let elapsed = (ContinuousClock.now - begun) / .seconds(1)
        let spent = Self.processorSeconds() - usage
        let stored = try await LabRounds.stored(pool, vault)
        await pool.close()
        var rounds = LabRounds.Count()
        for tally in tallies {
            for (number, last) in tally.acknowledged {
                rounds.add(acknowledged: last, sent: last, stored: stored[number] ?? 0)
            }
        }
        let times = tallies.flatMap(\.milliseconds).sorted()
        let p99 = times.isEmpty ? 0 : times[min(times.count - 1, times.count * 99 / 100)]
        let lastRound = tallies.flatMap(\.acknowledged.values).max() ?? round
        print(
            """
            {"registrations":\(times.count),"perSecond":\((Double(times.count) / elapsed).rounded()),\
            "p99Ms":\((p99 * 100).rounded() / 100),"processorSeconds":\((spent * 100).rounded() / 100),\
            "lastRound":\(lastRound),"check":\(rounds.json)}
            """)
        if !rounds.isGood { throw ExitCode(1) }
    }

    private static func call(
        _ store: ActivityTokenStore, _ phones: [LabPhones.Phone], from first: Int, until end: ContinuousClock.Instant
    ) async throws -> Tally {
        var tally = Tally()
        var round = first
        while true {
            for phone in phones {
                let begun = ContinuousClock.now
                if begun >= end { return tally }
                let registered = try await store.register(
                    ActivityTokenRequest(
                        activityToken: LabPhones.token(phone.number, round: round), deviceId: phone.device),
                    match: LabPhones.match, user: phone.user)
                guard registered.changedMatches == [LabPhones.match] else {
                    throw ValidationError("a registration changed nothing: \(registered.action)")
                }
                tally.milliseconds.append((ContinuousClock.now - begun) / .milliseconds(1))
                tally.acknowledged[phone.number] = round
            }
            round += 1
        }
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
