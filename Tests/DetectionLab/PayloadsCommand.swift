import ArgumentParser
import PayloadProperty

/// `detection-lab payloads`: random states as pushes, each within what APNs takes and cut as documented.
struct PayloadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payloads", abstract: "Encodes random states as pushes: each fits and is cut in the stated order.")

    @Option(help: "How many states.") var count = 100_000
    @Option(help: "The first seed; each state has one of its own.") var seed: UInt64 = 1
    @Option(help: "Threads.") var jobs = 2

    func validate() throws {
        guard count >= 1_000, jobs > 0 else { throw ValidationError("--count: \(count) is under 1000") }
    }

    func run() async throws {
        let seeds = (0..<UInt64(count / 1_000)).map { seed &+ $0 * 1_000 }
        let reports = await WorkPool.run(seeds, jobs: jobs) { seed in
            let report = PayloadProperty.run(count: 1_000, seed: seed)
            for fault in report.faults.prefix(3) { LabOutput.note("FAILED  payloads, seed \(seed): \(fault)") }
            return report
        }
        let payloads = reports.reduce(0) { $0 + $1.payloads }
        let faults = reports.reduce(0) { $0 + $1.faults.count }
        let largest = reports.map(\.largestBytes).max() ?? 0
        let states = reports.reduce(0) { $0 + $1.states }
        LabOutput.line(
            """
            {"check":"payloads","states":\(states),"payloads":\(payloads),"seed":\(seed),"largestBytes":\(largest),\
            "faults":\(faults),"met":\(faults == 0 && payloads > 0)}
            """)
        if faults > 0 { throw ExitCode.failure }
    }
}
