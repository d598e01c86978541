import ArgumentParser
import FoundationEssentials
import Tapes

/// `sightscreen tape`: lists what can be played, and shows what a poller would see of it.
struct TapeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tape",
        abstract: "Lists tapes, shows their frames, and prints one frame as the provider sends it.",
        subcommands: [List.self, Show.self, Frame.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the tapes of a folder.")

        @OptionGroup var folder: TapeFolder

        func run() throws {
            for id in try folder.ids() {
                let tape = try folder.tape(id)
                Output.line("\(id)  \(tape.frames.count) frames  \(tape.title)")
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a tape's frames: when each comes, and its label.")

        @OptionGroup var folder: TapeFolder
        @Argument(help: "The id of the tape.") var id: Int64

        func run() throws {
            for (index, frame) in try folder.tape(id).frames.enumerated() {
                Output.line("\(index + 1)  \(frame.offset) s  \(frame.status)  \(frame.label)")
            }
        }
    }

    struct Frame: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the provider's answer to /livescores at one frame (JSON).")

        @OptionGroup var folder: TapeFolder
        @Argument(help: "The id of the tape.") var id: Int64
        @Argument(help: "A frame's number, from 1, or its label, such as \"S1 19.4\".") var frame: String

        func run() throws {
            let tape = try folder.tape(id)
            guard let index = Int(frame).map({ $0 - 1 }) ?? tape.position(of: frame),
                tape.frames.indices.contains(index)
            else { throw ValidationError("there is no frame \(frame); `sightscreen tape show \(id)` lists them") }
            let clock = TapeClock(startsAt: Int(Date.now.timeIntervalSince1970))
            Output.line(String(decoding: tape.livescores(index, clock: clock), as: UTF8.self))
        }
    }
}

/// A folder of matches in Cricsheet's JSON, each named by its id.
struct TapeFolder: ParsableArguments {
    @Option(help: "The folder of the tapes (Cricsheet JSON).")
    var tapes: String = "Tests/Fixtures/matches"

    func ids() throws -> [Int64] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: tapes) else {
            throw ValidationError("--tapes: cannot read the folder \(tapes)")
        }
        return names.filter { $0.hasSuffix(".json") }.compactMap { Int64($0.dropLast(5)) }.sorted()
    }

    func tape(_ id: Int64) throws -> Tape {
        guard let data = FileManager.default.contents(atPath: "\(tapes)/\(id).json") else {
            throw ValidationError("there is no tape \(id) in \(tapes); `sightscreen tape list` shows them")
        }
        return Tape(match: try CricsheetMatch(json: [UInt8](data)), id: id)
    }
}
