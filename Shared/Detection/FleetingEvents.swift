import Cricket
import SightscreenModels

/// Knows what one frame alone cannot tell: what was so and is not shown any more (a toss that is left out of an answer, a
/// target that was revised once more), and whether a bowler whose balls are missing has just taken a wicket.
struct FleetingEvents: Codable, Sendable, Equatable {
    /// No target is revised more often; a frame of nonsense may have any.
    private static let keptMax = 8

    private var kept: [MatchEvent] = []
    /// Wickets of each bowler of the innings in play, by the frame before.
    private var taken: [Int64: Int] = [:]
    private var innings = 0
    /// Bowlers of that innings who were on fire by their figures.
    private var onFire: Set<String> = []
    /// Runs of the innings in play that no ball showed in the frame before: penalties.
    private var penalties = 0
    /// What the frame before showed of them, and its newest ball.
    private var finishes: Set<String> = []
    private var newestBall: Int64 = 0
    /// Close finishes that only a penalty in the last over makes, with the penalties: when that over began, they were none.
    private var late: [String: Int] = [:]

    /// Adds to `detected` what earlier frames showed and this one does not speak against, and takes out what its figures
    /// show without a wicket that brought it.
    mutating func keep(_ detected: inout [MatchEvent], in snapshot: MatchSnapshot) {
        keepFires(&detected, in: snapshot)
        dropLateFinishes(&detected, in: snapshot)
        let shown = Set(detected.lazy.filter { Self.isFleeting($0.kind) }.map(\.key))
        // A target that is as the first innings set it was never revised.
        let first = snapshot.innings.first { $0.number == 1 }
        let isAsSet = snapshot.revisedTarget != nil && snapshot.revisedTarget == first.map { $0.runs + 1 }
        kept.removeAll { $0.kind == .targetRevised && isAsSet }
        detected.insert(contentsOf: kept.filter { !shown.contains($0.key) }, at: 0)
        kept = Array(detected.filter { Self.isFleeting($0.kind) }.suffix(Self.keptMax))
    }

    private static func isFleeting(_ kind: EventKind) -> Bool { kind == .toss || kind == .targetRevised }

    /// The frame does not say when a penalty was given: one that comes in the last over is no part of what was needed
    /// before it.
    private mutating func dropLateFinishes(_ detected: inout [MatchEvent], in snapshot: MatchSnapshot) {
        guard let last = snapshot.innings.last else { return }
        defer { detected.removeAll { late[$0.key] != nil } }
        let now = last.runs - last.balls.reduce(0) { $0 + $1.totalRuns }
        // The total of a torn frame is some runs ahead of its balls, or behind them: it says nothing of penalties.
        guard now >= 0, now.isMultiple(of: 5) else { return }
        let shown = detected.filter { $0.kind == .closeFinish && $0.innings == last.number }
        let newest = snapshot.innings.last { !$0.balls.isEmpty }?.balls.last?.id ?? 0
        for event in shown where now > penalties && !finishes.contains(event.key) {
            // The frame before was of the moment at which the over began, or later, and this one has a ball of it.
            let before = event.ballID ?? snapshot.innings.dropLast().last?.balls.last?.id ?? 0
            if newest > before, newestBall >= before { late[event.key] = now }
        }
        // A total that was only ahead of its balls was no penalty.
        late = late.filter { now >= $0.value }
        penalties = now
        newestBall = newest
        finishes = Set(shown.map(\.key))
    }

    private mutating func keepFires(_ detected: inout [MatchEvent], in snapshot: MatchSnapshot) {
        guard let last = snapshot.innings.last else { return }
        if last.number != innings {
            innings = last.number
            taken = [:]
            onFire = []
        }
        detected.removeAll { event in
            guard event.kind == .bowlerOnFire, event.ballID == nil, event.innings == innings,
                let bowler = event.playerID,
                let wickets = last.bowling.first(where: { $0.playerID == bowler })?.wickets
            else { return false }
            return !onFire.contains(event.key) && !(taken[bowler].map { wickets > $0 } ?? false)
        }
        onFire = Set(detected.lazy.filter { $0.kind == .bowlerOnFire && $0.innings == last.number }.map(\.key))
        taken = Dictionary(last.bowling.map { ($0.playerID, $0.wickets) }, uniquingKeysWith: { max($0, $1) })
    }
}
