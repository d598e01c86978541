public import Cricket
public import Detection
public import SightscreenModels
import SportMonks

/// Plays the frames of one match through the code that runs in the services: it reads the provider's JSON, turns it
/// into cricket's terms and runs the detector. It is pure, with neither clock nor socket.
public struct MatchReplay: Sendable {
    /// The match after the frames so far.
    public private(set) var machine: MatchMachine
    /// The state of the last version, with that version's number.
    public private(set) var state: ContentState?
    private let timing: MatchTiming
    private var emitted: [String: EventLine] = [:]
    private var versions = 0
    private var frames = 0
    private var now: Int64 = 0
    private var innings: Int?
    private var ball: String?

    package init(_ match: MatchID, timing: MatchTiming = MatchTiming()) {
        machine = MatchMachine(matchID: match)
        self.timing = timing
    }

    /// Plays an answer of `/fixtures/{id}` or an element of `/livescores`.
    ///
    /// - Parameters:
    ///   - fixture: the provider's JSON object.
    ///   - at: when it was fetched, in milliseconds since 1970.
    public mutating func take(_ fixture: [UInt8], label: String, at: Int64) -> ReplayStep {
        do {
            let answer = try FixtureAnswer.fixture(from: Array("{\"data\":".utf8) + fixture + [UInt8(ascii: "}")])
            return take(try answer.snapshot(), label: label, at: at)
        } catch {
            return refuse("\(error)", label: label)
        }
    }

    /// Counts a frame that cannot be used, and reports its problem.
    mutating func refuse(_ problem: String, label: String) -> ReplayStep {
        frames += 1
        return step(label, problem: problem)
    }

    /// Plays a frame that is already in cricket's terms.
    public mutating func take(_ snapshot: MatchSnapshot, label: String, at: Int64) -> ReplayStep {
        frames += 1
        // Two answers are never fetched in the same moment.
        let fetchedAt = max(at, now + 1)
        var changes: [MatchChange] = []
        // The bus looks at the clock between two frames as well.
        for moment in [machine.nextDueAt, fetchedAt].compactMap({ $0 }) where moment <= fetchedAt {
            if let change = machine.tick(now: moment, timing: timing) { changes.append(change) }
        }
        let byTime = changes.count
        if let change = machine.apply(snapshot, fetchedAt: fetchedAt, now: fetchedAt, timing: timing) {
            changes.append(change)
        }
        let lines = changes.flatMap { note($0, snapshot.players) }
        now = fetchedAt
        innings = snapshot.innings.last?.number
        ball = snapshot.innings.last?.balls.last?.label
        return step(label, snapshot, changes, byTime: byTime, lines)
    }

    /// Lets the time pass that a held result waits for, after the last frame. Returns nil when that changes nothing.
    public mutating func finish() -> ReplayStep? {
        let end = now + max(timing.resultHold, timing.superOverWait) + 1
        let changes = [machine.nextDueAt, end].compactMap { $0 }.compactMap { machine.tick(now: $0, timing: timing) }
        now = end
        guard !changes.isEmpty else { return nil }
        // The lines are made before the step, which shows the state that the changes lead to.
        let lines = changes.flatMap { note($0, [:]) }
        return step("", nil, changes, byTime: changes.count, lines)
    }

    private func step(
        _ label: String, _ snapshot: MatchSnapshot? = nil, _ changes: [MatchChange] = [], byTime: Int = 0,
        _ lines: [ReplayStep.Line] = [],
        problem: String? = nil
    ) -> ReplayStep {
        ReplayStep(
            frame: frames, label: label, snapshot: snapshot, changes: changes, changesByTime: byTime, lines: lines,
            state: state,
            problem: problem, innings: innings, ball: ball)
    }

    private mutating func note(_ change: MatchChange, _ players: [Int64: Player]) -> [ReplayStep.Line] {
        versions += 1
        state = change.contentState
        state?.version = versions
        var lines: [ReplayStep.Line] = []
        for key in change.retracted {
            if let line = emitted.removeValue(forKey: key) { lines.append(.init(event: line, isRetracted: true)) }
        }
        for event in change.events {
            let line = EventLine(event, players: players)
            emitted[event.key] = line
            lines.append(.init(event: line, isRetracted: false))
        }
        return lines
    }
}
