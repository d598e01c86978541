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

    func validate() throws {
        guard events || states || alerts else {
            throw ValidationError("say what to print: --events, --states, --alerts, or several of them")
        }
    }

    func run() throws {
        let printer = ReplayPrinter(events: events, states: states, alerts: alerts)
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ValidationError("cannot read \(file)")
        }
        let match = try CricsheetMatch(json: [UInt8](data))
        for step in TapeReplay(Tape(match: match, id: 1)) {
            for line in try printer.lines(of: step) { Output.line(line) }
        }
    }
}
