import ArgumentParser
import Glibc
import Logging
import MatchOrchestrator
import Postgres
import SightscreenModels
import Store
import Synchronization

/// `recovery-lab pass`: the orchestrator's process with everything but the schedule's provider, for some passes. Says
/// `notified` when it tells the coordinators, and at the end what the passes cost.
struct PassCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pass", abstract: "Passes of the orchestrator.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "How many passes before those that are measured.") var before = 0
    @Option(help: "How many passes are measured.") var passes = 1
    @Option(help: "The followers that a channel is worth; none without it.") var channelFollowers: Int?

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "recovery-lab")
        let leases = LeaseKeeper(
            store: LeaseStore(pool: pool), instance: "recovery-lab-\(getpid())",
            logger: Logger(label: "recovery-lab"))
        let keeping = Task { await leases.run() }
        guard let lease = await leases.waitForLease(.orchestrator) else { throw ExitCode(1) }
        let notifications = Atomic(0)
        let orchestrator = MatchOrchestrator(
            store: OrchestratorStore(pool: pool),
            timing: .init(
                interval: .seconds(30), startLead: .zero, resultHold: .seconds(300),
                followRetention: .seconds(172_800), channelFollowersMin: channelFollowers),
            logger: Logger(label: "recovery-lab")
        ) { _ in
            notifications.add(1, ordering: .relaxed)
            RecoveryLab.say("notified")
        }
        for _ in 0..<before { _ = await orchestrator.runOnce(under: lease, syncs: 1) }
        let spent = RecoveryLab.processorSeconds()
        RecoveryLab.say("began")
        let began = ContinuousClock.now
        for _ in 0..<passes { _ = await orchestrator.runOnce(under: lease, syncs: 1) }
        let seconds = (.now - began) / .seconds(1)
        let processor = RecoveryLab.processorSeconds() - spent
        keeping.cancel()
        await keeping.value
        await pool.close()
        RecoveryLab.say(
            """
            {"seconds":\(seconds),"notifications":\(notifications.load(ordering: .relaxed)),"processorSeconds":\(processor),\
            "peakKiB":\(Self.peakKiB())}
            """)
    }

    /// The most memory this process ever had: `VmHWM`.
    private static func peakKiB() -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return .max }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("VmHWM:") { return Int(text.filter(\.isNumber)) ?? .max }
        }
        return .max
    }
}
