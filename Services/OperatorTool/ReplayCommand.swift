import ArgumentParser
import FoundationEssentials
import Replay
import Sightscreen
import Tapes

/// `sightscreen replay`: what detection makes of a match, without any service.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Prints the events or the display states of a match, one JSON object a line.",
        discussion: """
            Plays the match through the code that runs in score-poller and event-bus. A correction prints the event that \
            no longer holds again, with "retracted":true.
            """)

    @Argument(help: "A match in Cricsheet's JSON.") var file: String
    @Flag(help: "Print each event.") var events = false
    @Flag(help: "Print the display state after each frame.") var states = false
    @Flag(help: "Print each alert.") var alerts = false
    @Option(
        help: ArgumentHelp(
            "What a poller would see of the match when the feed misbehaves: \(TapeVariant.names).", valueName: "name"))
    var variant: String = TapeVariant.clean.rawValue
    @Option(help: ArgumentHelp("Where it misbehaves, and how.", valueName: "number")) var seed: UInt64 = 1
    @Option(help: ArgumentHelp("One frame for so many balls.", valueName: "count")) var ballsPerFrame: Int = 1

    func validate() throws {
        guard events || states || alerts else {
            throw ValidationError("say what to print: --events, --states, --alerts, or several of them")
        }
        guard (1...1_000).contains(ballsPerFrame) else { throw ValidationError("--balls-per-frame is 1 to 1000") }
        guard TapeVariant(rawValue: variant) != nil else {
            throw ValidationError("--variant: there is no \"\(variant)\"; take one of \(TapeVariant.names)")
        }
    }

    func run() throws {
        let printer = ReplayPrinter(events: events, states: states, alerts: alerts)
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ValidationError("cannot read \(file)")
        }
        let match = try CricsheetMatch(json: [UInt8](data))
        let tape = Tape(match: match, id: 1, variant: TapeVariant(rawValue: variant) ?? .clean, seed: seed)
        for step in TapeReplay(tape, ballsPerFrame: ballsPerFrame) {
            for line in try printer.lines(of: step) { Output.line(line) }
        }
    }
}

extension TapeVariant {
    /// All of them, for a person.
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
