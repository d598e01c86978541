import Cricket
import SightscreenModels

/// Remembers where the match was, for frames whose status does not say: a word that nobody knows, or rain between two
/// innings.
struct PhaseMemory: Codable, Sendable, Equatable {
    /// Nil before the first frame.
    private(set) var phase: MatchPhase?
    private var balls = 0
    /// The innings break that stands, as long as nothing speaks against it.
    private var pause: MatchEvent?

    /// The frame with a phase that is known where that is possible: an unknown one means that all goes on as before, or,
    /// where balls were bowled since, that play is on.
    mutating func read(_ snapshot: MatchSnapshot) -> MatchSnapshot {
        let count = snapshot.innings.reduce(0) { $0 + $1.balls.count }
        var snapshot = snapshot
        if case .unknown = snapshot.phase, let phase {
            snapshot.phase = phase
            if count > balls, let last = snapshot.innings.last { snapshot.phase = .innings(last.number) }
        }
        phase = snapshot.phase
        balls = count
        return snapshot
    }

    /// Keeps an innings break that the frame does not show but does not contradict either: contradicted it is when the
    /// innings goes on, or is gone.
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
