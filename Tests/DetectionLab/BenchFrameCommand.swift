import ArgumentParser
import Detection
import FoundationEssentials
import SightscreenModels
import SportMonks
import Tapes

/// `detection-lab bench-frame`: processor time for one frame of a long match, from the provider's bytes to what is
/// committed, apart from the database.
struct BenchFrameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-frame", abstract: "Measures the last frames of a long match, step by step.")

    @Option(help: "A match in Cricsheet's JSON.") var match = "Tests/Fixtures/matches/1144530.json"
    @Option(help: "How many frames, each a ball further; the last ones of the match.") var frames = 200
    @Option(help: "Writes the last frame to this file, so that another reader can be measured beside.")
    var frameOut: String?

    func validate() throws {
        guard frames > 0 else { throw ValidationError("--frames: \(frames) is not above 0") }
    }

    func run() throws {
        let tape = try MatchFile(match).tape()
        let shown = tape.frames.indices.filter { tape.frames[$0].isListed }.suffix(frames + 1)
        guard shown.count > 1 else { throw ValidationError("\(match): the match has no frames") }
        var reel = TapeReel(tape, clock: TapeClock(startsAt: 1_790_000_000))
        var steps = FrameSteps(match: MatchID(tape.id))
        var times = FrameSteps.Times()
        var scan = 0.0
        var answer: [UInt8] = []
        for (index, frame) in shown.enumerated() {
            answer = reel.livescores(frame)
            let spent = try steps.take(answer, at: 1_790_000_000_000 + Int64(index) * 5_000)
            // The first frame brings every event of the match; it is not what a poll costs.
            guard index > 0 else { continue }
            times += spent
            scan += try Self.scan(answer)
        }
        if let frameOut { try LabFile.write(answer, to: frameOut) }
        let count = Double(shown.count - 1)
        func each(_ milliseconds: Double) -> String { Decimals.text(milliseconds / count) }
        LabOutput.line(
            """
            {"check":"bench-frame","frames":\(shown.count - 1),"bytes":\(answer.count),\
            "frameMs":\(each(times.total)),"parseMs":\(each(times.parse)),"snapshotMs":\(each(times.snapshot)),\
            "judgeMs":\(each(times.judge)),"commitMs":\(each(times.commit)),"jsonDecoderMs":\(each(scan)),\
            "commitBytes":\(steps.commitBytes / shown.count),"peakMiB":\(CPUClock.peakMemory)}
            """)
    }

    /// The same bytes gone through by Foundation's decoder, which then takes nothing out of them: the reference in the
    /// same process, and the least that it can cost. Milliseconds.
    private static func scan(_ answer: [UInt8]) throws -> Double {
        let clock = CPUClock()
        _ = try JSONDecoder().decode(Nothing.self, from: Data(answer))
        return clock.milliseconds
    }

    private struct Nothing: Decodable {
        init(from decoder: any Decoder) {}
    }
}
