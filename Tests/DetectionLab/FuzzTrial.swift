import Detection
import SightscreenModels
import SportMonks

/// What became of one damaged frame.
struct FuzzTrial {
    enum Outcome: Equatable {
        /// Read and judged, with whatever was left out of it.
        case accepted
        /// Refused, for this reason.
        case refused(String)
        /// The match was not in the answer, or another one.
        case absent
    }

    let outcome: Outcome
    /// Processor time from bytes to judged frame, milliseconds.
    let milliseconds: Double
    /// Lines that say what is wrong; empty when all is well.
    let failures: [String]

    init(_ source: FuzzSource, bytes: [UInt8], millisecondsMax: Double) {
        var machine = source.machine
        var problems: [String] = []
        let clock = CPUClock()
        let outcome = Self.judge(bytes, source, machine: &machine, problems: &problems)
        let spent = clock.milliseconds

        var failures: [String] = []
        if spent > millisecondsMax { failures.append("took \(Int(spent)) ms for \(bytes.count) bytes") }
        if case .refused(let reason) = outcome { failures += Self.faults(of: reason) }
        failures += problems.flatMap(Self.faults(of:))
        failures += Self.continueAfter(source, machine: machine, outcome: outcome)
        self.outcome = outcome
        milliseconds = spent
        self.failures = failures
    }

    private static func judge(
        _ bytes: [UInt8], _ source: FuzzSource, machine: inout MatchMachine, problems: inout [String]
    ) -> Outcome {
        let fixture: SlimFixture
        do {
            if source.isList {
                let answer = try LivescoresAnswer(bytes)
                problems = answer.problems.map(\.description)
                guard let own = answer.fixtures.first(where: { $0.matchID == source.matchID }) else {
                    return problems.first.map { .refused($0) } ?? .absent
                }
                fixture = own
            } else {
                let answer = try FixtureAnswer(bytes)
                problems = answer.problems.map(\.description)
                guard answer.fixture.matchID == source.matchID else { return .absent }
                fixture = answer.fixture
            }
            let snapshot = try fixture.snapshot()
            _ = machine.apply(snapshot, fetchedAt: source.fetchedAt, now: source.fetchedAt)
            return .accepted
        } catch {
            return .refused("\(error)")
        }
    }

    /// A reason is for a person who reads a log.
    private static func faults(of reason: String) -> [String] {
        let isClear =
            (8...400).contains(reason.count)
            && reason.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            && !["Error(", "Optional(", "Swift.", "CodingKeys", "\\u{"].contains { reason.contains($0) }
        return isClear ? [] : ["the reason is not clear: \(String(reason.debugDescription.prefix(300)))"]
    }

    /// The next good frames, once after the damaged one and once without it.
    private static func continueAfter(_ source: FuzzSource, machine: MatchMachine, outcome: Outcome) -> [String] {
        var after = machine
        var without = source.machine
        for (index, snapshot) in source.next.enumerated() {
            let at = source.fetchedAt + Int64(index + 1) * 5_000
            _ = after.apply(snapshot, fetchedAt: at, now: at)
            _ = without.apply(snapshot, fetchedAt: at, now: at)
            if outcome != .accepted, after != without {
                return ["good frame \(index + 1) is judged otherwise than without"]
            }
        }
        guard shown(after) != shown(without) else { return [] }
        return ["the match does not go on: \(Difference.states(shown(without), shown(after)))"]
    }

    /// Without the last event: what the damaged frame told may have been taken back, and then the newest that stands is
    /// shown.
    private static func shown(_ machine: MatchMachine) -> ContentState? {
        var state = machine.content
        state?.expanded.lastEvent = nil
        return state
    }
}
