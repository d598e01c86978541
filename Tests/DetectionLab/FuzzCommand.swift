import ArgumentParser
import TestSupport

/// `detection-lab fuzz`: damaged frames through reading, normalising and judging.
struct FuzzCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz",
        abstract: "Damages real frames: no crash, no hang, a clear reason for each refusal, and the match goes on.",
        discussion: "Trial i has seed --seed + i, so that --count 1 --seed N repeats the one that failed.")

    @Option(help: "How many.") var count = 5_000
    @Option(help: "The first seed.") var seed: UInt64 = 1
    @Option(help: "The folder of the matches (Cricsheet's JSON).") var matches = "Tests/Fixtures/matches"
    @Option(help: "A folder of answers that were recorded from the provider.")
    var frames = "Tests/Fixtures/sportmonks"
    @Option(help: "The longest a frame may take, milliseconds of processor time.") var millisecondsMax = 100.0
    @Option(help: "Writes the damaged frame of --seed to this file and ends.") var write: String?

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count: \(count) is not above 0") }
    }

    func run() throws {
        let sources = try FuzzSource.all(matches: matches, recorded: frames)
        if let write { return try LabFile.write(Self.trial(seed, of: sources).bytes, to: write) }
        CrashReport.install()
        LabOutput.note("fuzz: \(sources.count) frames to damage, seeds \(seed) to \(seed + UInt64(count) - 1)")
        var tally = FuzzTally()
        for offset in 0..<UInt64(count) {
            CrashReport.working(on: seed + offset)
            let (source, bytes) = Self.trial(seed + offset, of: sources)
            let trial = FuzzTrial(source, bytes: bytes, millisecondsMax: millisecondsMax)
            tally.note(trial, seed: seed + offset, source: source.name)
            if (offset + 1) % 5_000 == 0 { LabOutput.note("fuzz: \(offset + 1) of \(count), \(tally.failed) failed") }
        }
        CrashReport.done()
        LabOutput.line(tally.json(count: count, seed: seed))
        if tally.failed > 0 { throw ExitCode.failure }
    }

    private static func trial(_ seed: UInt64, of sources: [FuzzSource]) -> (source: FuzzSource, bytes: [UInt8]) {
        var random = SeededGenerator(seed: seed ^ 0xF00D)
        let source = random.pick(sources)
        return (source, FrameMutator.mutate(source.map, seed: seed))
    }
}
