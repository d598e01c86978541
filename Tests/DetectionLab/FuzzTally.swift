/// The outcome of many trials.
struct FuzzTally {
    private(set) var failed = 0
    private var accepted = 0
    private var refused = 0
    private var absent = 0
    private var slowest = 0.0
    private var slowestSeed: UInt64 = 0

    mutating func note(_ trial: FuzzTrial, seed: UInt64, source: String) {
        switch trial.outcome {
        case .accepted: accepted += 1
        case .refused: refused += 1
        case .absent: absent += 1
        }
        if trial.milliseconds > slowest { (slowest, slowestSeed) = (trial.milliseconds, seed) }
        guard !trial.failures.isEmpty else { return }
        failed += 1
        guard failed <= 20 else { return }
        LabOutput.note("FAILED  detection-lab fuzz --count 1 --seed \(seed)  (\(source))")
        for line in trial.failures { LabOutput.note("        \(line)") }
    }

    func json(count: Int, seed: UInt64) -> String {
        // A run in which nothing was refused, or nothing was read, has not tried what it should.
        let isBroad = count < 1_000 || (accepted > count / 20 && refused > count / 20)
        return """
            {"check":"fuzz","count":\(count),"seed":\(seed),"accepted":\(accepted),"refused":\(refused),\
            "absent":\(absent),"slowestMs":\(Decimals.text(slowest)),"slowestSeed":\(slowestSeed),\
            "failed":\(failed),"met":\(failed == 0 && isBroad)}
            """
    }
}
