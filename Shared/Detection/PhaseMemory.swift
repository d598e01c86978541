import Cricket
import SightscreenModels

/// Remembers the phase of the match, for frames whose status does not say it: a word that this build does not know,
/// rain between two innings, or play that is abandoned for the day.
struct PhaseMemory: Codable, Sendable, Equatable {
    /// Nil before the first frame.
    private(set) var phase: MatchPhase?
    private var balls = 0
    /// The innings break that stands, as long as no frame contradicts it.
    private var pause: MatchEvent?

    /// Returns the frame with a known phase where possible. An unknown phase means that the one before goes on, or,
    /// where balls were bowled since, that play is on.
    mutating func read(_ snapshot: MatchSnapshot) -> MatchSnapshot {
        let count = snapshot.innings.reduce(0) { $0 + $1.balls.count }
        var snapshot = snapshot
        // An abandonment that nothing confirms is a stop like any other, until play goes on or the result is said.
        if snapshot.phase == .abandoned, !ResultJudge.isForGood(snapshot) {
            snapshot.phase = snapshot.innings.isEmpty ? .delayed : .interrupted
        }
        if case .unknown = snapshot.phase, let phase {
            snapshot.phase = phase
            if count > balls, let last = snapshot.innings.last { snapshot.phase = .innings(last.number) }
        }
        phase = snapshot.phase
        balls = count
        return snapshot
    }

    /// Keeps an innings break that the frame neither shows nor contradicts. A frame contradicts it when the innings
    /// goes on or is gone, or when play or the match's end is its phase.
    mutating func keepBreak(_ detected: inout [MatchEvent], in snapshot: MatchSnapshot) {
        if let pause, !detected.contains(where: { $0.key == pause.key }), stands(pause, in: snapshot) {
            detected.append(pause)
        }
        pause = detected.last { $0.kind == .inningsBreak }
    }

    private func stands(_ pause: MatchEvent, in snapshot: MatchSnapshot) -> Bool {
        guard let innings = snapshot.innings.first(where: { $0.number == pause.innings }),
            (innings.balls.last?.label ?? pause.ball) == pause.ball
        else { return false }
        switch snapshot.phase {
        case .innings, .finished, .abandoned, .cancelled, .notStarted: return false
        default: return true
        }
    }
}
