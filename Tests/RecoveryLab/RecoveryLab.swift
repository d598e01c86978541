import ArgumentParser
import Glibc
import SightscreenModels

/// `recovery-lab`: what `deploy/bench recovery` measures with. Never installed.
@main
struct RecoveryLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-lab", abstract: "Measures how a match's activities are made from nothing.",
        subcommands: [SeedCommand.self, PassCommand.self, CoordinateCommand.self])

    static let match = MatchID(1_304_076)

    /// Of this process, so far.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// At once, also into a pipe.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
