import ArgumentParser
import FoundationEssentials
import Replay
import SightscreenModels
import TapeFile
import Tapes

/// `sightscreen replay`: runs the detector on a match without any service.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Prints the events, display states or alerts of a match, one JSON object a line.",
        discussion: """
            Plays the match through the code that runs in score-poller and event-bus. A correction prints the event that \
            no longer holds again, with "retracted":true.
            """)

    @Argument(help: "A match in Cricsheet's JSON, or a recorded tape.") var file: String
    @Flag(help: "Print each event.") var events = false
    @Flag(help: "Print the display state after each frame.") var states = false
    @Flag(help: "Print each alert.") var alerts = false
    @OptionGroup var feed: FeedOptions
    @Option(help: ArgumentHelp("One frame for so many balls.", valueName: "count")) var ballsPerFrame: Int = 1

    @Option(help: ArgumentHelp("Which match of a recorded tape that has several.", valueName: "id")) var match: Int64?

    func validate() throws {
        guard events || states || alerts else {
            throw ValidationError("say what to print: --events, --states, --alerts, or several of them")
        }
        guard (1...1_000).contains(ballsPerFrame) else { throw ValidationError("--balls-per-frame is 1 to 1000") }
    }

    func run() throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ValidationError("cannot read the file \(file)")
        }
        let bytes = [UInt8](data)
        if bytes.starts(with: Self.zstdMagic) { try playRecorded(bytes) } else { try playTape(bytes) }
    }

    /// The magic number of a zstd frame (RFC 8878, section 3.1.1), little-endian.
    private static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    private func playTape(_ bytes: [UInt8]) throws {
        guard match == nil else { throw ValidationError("--match is for recorded tapes: \(file) has one match") }
        let match: CricsheetMatch
        do { match = try CricsheetMatch(json: bytes) } catch {
            throw ValidationError("\(file) is neither a match in Cricsheet's JSON nor a recorded tape")
        }
        let tape = Tape(match: match, id: 1, variant: feed.variant, seed: feed.seed)
        for step in TapeReplay(tape, ballsPerFrame: ballsPerFrame) { try show(step) }
    }

    private func playRecorded(_ bytes: [UInt8]) throws {
        guard feed.variant == .clean, ballsPerFrame == 1 else {
            throw ValidationError(
                "--variant and --balls-per-frame are for Cricsheet's matches: a recorded tape is played as it was recorded"
            )
        }
        let matches = try RecordedReplay.matches(of: TapeFileReader(bytes: bytes))
        guard let chosen = match ?? (matches.count == 1 ? matches.first : nil), matches.contains(chosen) else {
            let list = matches.map(String.init).joined(separator: ", ")
            throw ValidationError(list.isEmpty ? "\(file) has no match" : "--match: choose one of \(list)")
        }
        let reader = try TapeFileReader(bytes: bytes)
        var replay = RecordedReplay(reader, match: chosen)
        while let step = try replay.next() { try show(step) }
        if reader.isCut { Output.error("sightscreen: the end of \(file) is missing; what is there was played") }
    }

    private func show(_ step: ReplayStep) throws {
        let printer = ReplayPrinter(events: events, states: states, alerts: alerts)
        for line in try printer.lines(of: step) { Output.line(line) }
        if let problem = step.problem { Output.error("sightscreen: frame \(step.frame) cannot be read: \(problem)") }
    }
}
