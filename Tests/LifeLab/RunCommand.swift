import ArgumentParser

/// `life-lab run`: many random schedules.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Random schedules; prints one line of JSON.",
        discussion: "Schedule i has seed --seed + i. A seed that fails prints the command that replays it.")

    @Option(help: "How many.") var schedules = 10_000
    @Option(help: "The first seed.") var seed: UInt64 = 1
    @Option(help: "How many at a time.") var jobs = 2

    func validate() throws {
        guard schedules > 0, jobs > 0 else { throw ValidationError("--schedules and --jobs are above 0") }
    }

    private struct Share: Sendable {
        var steps = 0
        var failed = 0
    }

    func run() async throws {
        let begin = ContinuousClock.now
        let size = 250
        let shares = stride(from: 0, to: schedules, by: size).map { ($0, min($0 + size, schedules)) }
        var total = Share()
        var done = 0
        await withTaskGroup(of: (Share, Int).self) { group in
            var next = shares.makeIterator()
            func addOne() {
                guard let (from, to) = next.next() else { return }
                group.addTask { [seed] in (Self.share(seed, from..<to), to - from) }
            }
            for _ in 0..<jobs { addOne() }
            var noted = 0
            for await (share, count) in group {
                total.steps += share.steps
                total.failed += share.failed
                done += count
                if done - noted >= min(max(schedules / 10, 1), 5_000) {
                    noted = done
                    LabOutput.note("life: \(done) of \(schedules) schedules, \(total.failed) failed")
                }
                addOne()
            }
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        LabOutput.line(
            """
            {"lab":"life","schedules":\(schedules),"seed":\(seed),"steps":\(total.steps),\
            "seconds":\(Double(Int(seconds * 10)) / 10),"failed":\(total.failed),"met":\(total.failed == 0)}
            """)
        if total.failed > 0 { throw ExitCode.failure }
    }

    private static func share(_ first: UInt64, _ range: Range<Int>) -> Share {
        var share = Share()
        for offset in range {
            let seed = first + UInt64(offset)
            let world = RandomSchedule.world(seed: seed)
            share.steps += world.steps
            guard let failure = world.failure else { continue }
            share.failed += 1
            LabOutput.note("seed \(seed): \(failure)\n    \(LabOutput.program) replay --seed \(seed)")
        }
        return share
    }
}
