import ArgumentParser
import Detection
import FoundationEssentials
import SightscreenModels
import SportMonks

/// What poller and bus do with a frame, each step on the clock.
struct FrameSteps {
    /// Milliseconds of processor time.
    struct Times {
        var parse = 0.0
        var snapshot = 0.0
        var judge = 0.0
        var commit = 0.0
        var total: Double { parse + snapshot + judge + commit }

        static func += (left: inout Times, right: Times) {
            left.parse += right.parse
            left.snapshot += right.snapshot
            left.judge += right.judge
            left.commit += right.commit
        }
    }

    private var machine: MatchMachine
    private(set) var commitBytes = 0

    init(match: MatchID) { machine = MatchMachine(matchID: match) }

    mutating func take(_ answer: [UInt8], at: Int64) throws -> Times {
        var times = Times()
        var clock = CPUClock()
        guard let fixture = try LivescoresAnswer(answer).fixtures.first else {
            throw ValidationError("a frame without a fixture")
        }
        times.parse = clock.milliseconds
        clock = CPUClock()
        let snapshot = try fixture.snapshot()
        times.snapshot = clock.milliseconds
        clock = CPUClock()
        let change = machine.apply(snapshot, fetchedAt: at, now: at)
        times.judge = clock.milliseconds
        clock = CPUClock()
        if let change { commitBytes += try Self.commit(change, machine) }
        times.commit = clock.milliseconds
        return times
    }

    /// The JSON of a version's row: state, events, what was taken back, alert, and the machine to go on from.
    private static func commit(_ change: MatchChange, _ machine: MatchMachine) throws -> Int {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(change.contentState).count + encoder.encode(change.events).count
            + encoder.encode(change.retracted).count + encoder.encode(change.alert).count
            + encoder.encode(machine).count
    }
}
