import LACoordinator
import Activities
import ArgumentParser
import Glibc
import Postgres
import Store

/// `recovery-lab coordinate`: what a coordinator that holds every shard does first when a notification comes (a line on
/// standard input): it claims starts, each time, until standard input ends.
struct CoordinateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coordinate", abstract: "At each line claims starts as a coordinator does.")

    @Option(help: "The database's URL.") var database: String

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "recovery-lab")
        let names = (0..<DeviceRoute.shardCount).map { LeaseName.shard($0) }
        let holder = LeaseStore.holder(instance: "recovery-lab-\(getpid())")
        let store = LeaseStore(pool: pool)
        let leases = try await store.acquire(names, holder: holder, duration: .seconds(3_600))
        let holds = leases.compactMap { ShardLease($0) }
        guard holds.count == DeviceRoute.shardCount else { throw ValidationError("the shards are not free") }
        RecoveryLab.say("ready")
        while readLine() != nil {
            let began = ContinuousClock.now
            let claims = try await ActivityStore(pool: pool).claimStarts(
                holds, limit: ActivityStore.claimMax, lease: .seconds(120))
            RecoveryLab.say(#"{"claimed":\#(claims.count),"seconds":\#((.now - began) / .seconds(1))}"#)
        }
        try await store.release(names, holder: holder)
        await pool.close()
    }
}
