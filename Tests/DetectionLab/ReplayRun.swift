import Cricket
import Detection
import Replay
import SightscreenModels
import Tapes

/// One tape played to its end: what was told, what stands, what is shown.
struct ReplayRun: Sendable {
    /// Lines of `--events` as they were told, retractions left out, and what the status alone brings, which no data
    /// has.
    private(set) var told: [String] = []
    /// What was told minus what was taken back, each line with its count.
    private(set) var final: [String: Int] = [:]
    private(set) var retractions = 0
    /// Those of deliveries: not of an innings break or a result, which an older status takes back rightly.
    private(set) var retractedDeliveries = 0
    /// What is shown at the end, with version 0.
    private(set) var state: ContentState?
    /// "145/6 20.0" per innings, as the last frame has it.
    private(set) var totals: [String] = []
    /// Innings with runs that no ball shows, as the last frame has it: penalties.
    private(set) var penalized: Set<Int> = []
    /// The last target shown while an innings was the newest, by its number.
    private(set) var targets: [Int: String] = [:]
    /// In order.
    private(set) var announced: [MatchEvent] = []
    private(set) var corrections = 0
    /// Alerts that break a rule, frames that could not be read.
    private(set) var problems: [String] = []
    private(set) var frames = 0

    init(_ tape: Tape, ballsPerFrame: Int = 1) {
        var tracker = AlertTracker()
        for step in TapeReplay(tape, ballsPerFrame: ballsPerFrame) {
            take(step)
            tracker.observe(step)
        }
        final = final.filter { $0.value != 0 }
        state?.version = 0
        problems += tracker.problems
        announced = tracker.announced
        corrections = tracker.corrections
        for (line, count) in final where count < 0 { problems.append("taken back, but not told before: \(line)") }
    }

    private mutating func take(_ step: ReplayStep) {
        frames += 1
        if let problem = step.problem { problems.append("frame \(step.frame) (\(step.label)): \(problem)") }
        for line in step.lines where ![.suspended, .resumed, .stumps].contains(line.event.event) {
            let text = line.event.json()
            final[text, default: 0] += line.isRetracted ? -1 : 1
            guard line.isRetracted else {
                told.append(text)
                continue
            }
            retractions += 1
            if ![.inningsBreak, .matchResult].contains(line.event.event) { retractedDeliveries += 1 }
        }
        state = step.state
        guard let snapshot = step.snapshot else { return }
        totals = snapshot.innings.map { "\($0.runs)/\($0.wickets) \($0.overs)" }
        penalized = Set(
            snapshot.innings.filter { $0.runs != $0.balls.reduce(0) { $0 + $1.totalRuns } }.map(\.number))
        if let number = snapshot.innings.last?.number, let target = step.state?.expanded.target {
            targets[number] = target
        }
    }
}
