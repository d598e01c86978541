import ArgumentParser
import FoundationEssentials
import Tapes

/// `detection-lab conformance`: every match against the oracle, and every dirty variant against the clean tape.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Holds events, alerts, totals and results of whole matches against the oracle, clean and dirty.")

    @Option(help: "The folder of the matches (Cricsheet's JSON).") var matches = "Tests/Fixtures/matches"
    @Option(help: "The folder that Tests/Oracle/events.py --write filled.") var oracle: String
    @Option(help: "Variants, with commas between; none for the clean tapes only.")
    var variants = TapeVariant.allCases.filter { $0 != .clean }.map(\.rawValue).joined(separator: ",")
    @Option(help: "Seeds per variant of a match of twenty overs or fewer.") var seeds = 2
    @Option(help: "Seeds per variant of a longer match.") var longSeeds = 1
    @Option(help: "The first seed.") var firstSeed: UInt64 = 1
    @Option(help: "Replays at a time.") var jobs = 2
    @Option(help: "Only these matches, with commas between.") var only = ""

    private var chosen: [TapeVariant] {
        variants.split(separator: ",").filter { $0 != "none" }.compactMap { TapeVariant(rawValue: String($0)) }
    }

    func validate() throws {
        for name in variants.split(separator: ",") where name != "none" && TapeVariant(rawValue: String(name)) == nil {
            throw ValidationError("--variants: there is no \(name)")
        }
        guard seeds >= 0, longSeeds >= 0, jobs > 0 else { throw ValidationError("--seeds, --jobs: too small") }
    }

    func run() async throws {
        let begun = ContinuousClock.now
        let wanted = Set(only.split(separator: ",").compactMap { Int64($0) })
        let files = try MatchFile.all(in: matches).filter { wanted.isEmpty || wanted.contains($0.id) }
        guard !files.isEmpty else { throw ValidationError("--only: there is no such match in \(matches)") }
        let subjects = try files.map {
            ConformanceSubject(file: $0, oracle: try OracleResults(match: $0.id, folder: oracle))
        }

        // The longest first, so that no job is left alone with one at the end.
        let clean = subjects.flatMap { subject in (1...3).map { CleanCheck(subject: subject, ballsPerFrame: $0) } }
            .sorted { $0.subject.weight > $1.subject.weight }
        let cleanReports = await WorkPool.run(clean, jobs: jobs) { Self.told($0.report()) }
        let baselines = Dictionary(
            zip(clean, cleanReports).filter { $0.0.ballsPerFrame == 1 }.map { ($0.0.subject.file.id, $0.1.run) },
            uniquingKeysWith: { first, _ in first })

        var dirty: [DirtyCheck] = []
        for subject in subjects.sorted(by: { $0.weight > $1.weight }) {
            guard let baseline = baselines[subject.file.id] else { continue }
            let count = UInt64(subject.oracle.isLong ? longSeeds : seeds)
            for seed in firstSeed..<(firstSeed + count) {
                dirty += chosen.map { DirtyCheck(subject: subject, clean: baseline, variant: $0, seed: seed) }
            }
        }
        let dirtyReports = await WorkPool.run(dirty, jobs: jobs) { Self.told($0.report()) }

        let failures = (cleanReports + dirtyReports).filter { !$0.failures.isEmpty }.count
        let seconds = Int((ContinuousClock.now - begun) / .seconds(1))
        let frames = (cleanReports + dirtyReports).reduce(0) { $0 + $1.run.frames }
        LabOutput.line(
            """
            {"check":"conformance","matches":\(files.count),"clean":\(clean.count),"dirty":\(dirty.count),\
            "frames":\(frames),"failures":\(failures),"seconds":\(seconds),"met":\(failures == 0)}
            """)
        if failures > 0 { throw ExitCode.failure }
    }

    /// Prints what is wrong at once: a long run need not be waited for.
    @Sendable private static func told(_ report: ConformanceReport) -> ConformanceReport {
        if report.failures.isEmpty {
            let run = report.run
            LabOutput.note(
                "ok      \(report.title): \(run.frames) frames, \(run.announced.count) alerts, \(run.retractions) taken back"
            )
        } else {
            let lines = report.failures.prefix(12).map { "        \($0)" }
            let more = report.failures.count > 12 ? ["        … and \(report.failures.count - 12) more"] : []
            LabOutput.note(
                (["FAILED  \(report.title)", "        \(report.command)"] + lines + more).joined(separator: "\n"))
        }
        return report
    }
}
