import Activities
import ArgumentParser
import FoundationEssentials
import LACoordinator
import Logging
import Postgres
import ServiceKit
import Store

/// A coordinator that takes over every shard of a database filled by `roster-seed`: how long until its loops have all
/// phones.
struct RosterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster", abstract: "Times how a coordinator takes all activities over.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "Phones in it.") var phones = 1_000_000
    @Option(help: "A .p8 file; nothing is sent.") var key: String
    @Option(help: "Threads.") var threads = 2
    @Option(help: "TOKEN_KEY_FILE, where tokens are encrypted.") var keyFile: String?

    func run() async throws {
        let pool = try PostgresPool(url: database, size: 6, applicationName: "fanout-lab")
        var environment = [
            "DATABASE_URL": database, "SIGHTSCREEN_STAND_INS": "1", "INSTANCE": "lab", "APNS_KEY_FILE": key,
            "APNS_KEY_ID": "KEYID00001", "APNS_TEAM_ID": "TEAMID0001", "APNS_BUNDLE_ID": "dev.sightscreen.app",
            "APNS_URL": "https://127.0.0.1:9", "APNS_SANDBOX_URL": "https://127.0.0.1:9", "PUSH_THREADS": "\(threads)",
        ]
        environment["TOKEN_KEY_FILE"] = keyFile
        let configuration = try LACoordinatorConfiguration(
            Settings(environment: environment, arguments: [], service: LACoordinatorConfiguration.service))
        let leases = LeaseStore(pool: pool)
        let (names, holder) = (
            (0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }, LeaseStore.holder(instance: "lab")
        )
        let holds = try await leases.acquire(names, holder: holder, duration: .seconds(3_600))
            .compactMap { ShardLease($0) }
        guard holds.count == names.count else { throw ValidationError("the shards are not free") }
        let silent = Logger(label: "fanout-lab") { _ in SwiftLogNoOpLogHandler() }
        let coordinator = try LACoordinator(configuration: configuration, pool: pool, logger: silent) { holds }
        let before = WicketCommand.residentBytes
        let processor = SendCommand.processorNanoseconds
        let begun = ContinuousClock.now
        let running = Task { await coordinator.run() }
        var taken = 0
        while taken < phones, .now - begun < .seconds(600) {
            try await Task.sleep(for: .milliseconds(10))
            taken = await coordinator.phones()
        }
        let seconds = (.now - begun) / .seconds(1)
        let spent = Double(SendCommand.processorNanoseconds - processor) / 1e9
        let after = WicketCommand.residentBytes
        running.cancel()
        await running.value
        try await leases.release(names, holder: holder)
        await pool.close()
        print(
            """
            {"phones":\(taken),"seconds":\(seconds),"processorSeconds":\(spent),\
            "bytes":\((Double(after - before) / Double(phones)).rounded()),"peakMiB":\(Self.peakMiB)}
            """)
    }

    /// The most memory this process ever had: `VmHWM`.
    private static var peakMiB: Int {
        let text = (try? String(contentsOf: URL(fileURLWithPath: "/proc/self/status"), encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) / 1_024
    }
}
