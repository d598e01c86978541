import ArgumentParser
import Detection
import Replay
import SightscreenModels
import Tapes

/// `detection-lab events`: what `sightscreen replay --events` prints, with each alert on standard error beside it.
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Prints the events of a tape; alerts go to standard error.")

    @Argument(help: "A match in Cricsheet's JSON.") var match: String
    @Option(help: "How the provider misbehaves: \(TapeVariant.allCases.map(\.rawValue).joined(separator: ", ")).")
    var variant: String = TapeVariant.clean.rawValue
    @Option(help: "Which of the variant's tapes.") var seed: UInt64 = 1
    @Option(help: "Balls from one frame to the next.") var ballsPerFrame = 1

    func validate() throws {
        guard TapeVariant(rawValue: variant) != nil else { throw ValidationError("--variant: there is no \(variant)") }
        guard ballsPerFrame > 0 else { throw ValidationError("--balls-per-frame: \(ballsPerFrame) is not above 0") }
    }

    func run() throws {
        let tape = try MatchFile(match).tape(TapeVariant(rawValue: variant) ?? .clean, seed: seed)
        var tracker = AlertTracker()
        for step in TapeReplay(tape, ballsPerFrame: ballsPerFrame) {
            for line in step.lines { LabOutput.line(line.json) }
            if let problem = step.problem { LabOutput.note("frame \(step.frame) \(step.label): \(problem)") }
            for change in step.changes {
                guard let alert = change.alert else { continue }
                let keys = change.announced.map(\.key).joined(separator: " ")
                LabOutput.note("frame \(step.frame) \(step.label): \(alert.title) | \(alert.body) [\(keys)]")
            }
            tracker.observe(step)
        }
        for problem in tracker.problems { LabOutput.note("WRONG: \(problem)") }
    }
}
