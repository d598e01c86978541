import Cricket
import SightscreenModels

/// Remembers across frames what one frame alone cannot show: events that an answer leaves out again (a toss, a target
/// that was revised once more), and whether a bowler whose balls are missing has just taken a wicket.
struct FleetingEvents: Codable, Sendable, Equatable {
    /// The most events kept: no target is revised more often, while a frame of nonsense may have any number.
    private static let keptMax = 8

    private var kept: [MatchEvent] = []
    /// Wickets of each bowler of the innings in play in the frame before.
    private var taken: [Int64: Int] = [:]
    private var innings = 0
    /// Bowlers of that innings who were on fire by their figures.
    private var onFire: Set<String> = []
    /// Runs of the innings in play that no ball showed in the frame before: penalties.
    private var penalties = 0
    /// The fleeting close finishes of the frame before, and its newest ball.
    private var finishes: Set<String> = []
    private var newestBall: Int64 = 0
    /// Close finishes that exist only because of a penalty in the last over, with the penalties; when that over began,
    /// they were none.
    private var late: [String: Int] = [:]
    /// Close finishes that were true when their over began, with the penalties then: a later one takes none of them
    /// away. Nil in the state that a former release stored.
    private var early: [String: EarlyFinish]?

    private struct EarlyFinish: Codable, Sendable, Equatable {
        var event: MatchEvent
        var penalties: Int
    }

    /// Adds to `detected` the events that earlier frames showed and this one does not contradict, and removes bowlers
    /// on fire whose figures show no new wicket.
    mutating func keep(_ detected: inout [MatchEvent], in snapshot: MatchSnapshot) {
        keepFires(&detected, in: snapshot)
        dropLateFinishes(&detected, in: snapshot)
        let shown = Set(detected.lazy.filter { Self.isFleeting($0.kind) }.map(\.key))
        // A target that equals the one the first innings set was never revised.
        let first = snapshot.innings.first { $0.number == 1 }
        let isAsSet = snapshot.revisedTarget != nil && snapshot.revisedTarget == first.map { $0.runs + 1 }
        kept.removeAll { $0.kind == .targetRevised && isAsSet }
        detected.insert(contentsOf: kept.filter { !shown.contains($0.key) }, at: 0)
        kept = Array(detected.filter { Self.isFleeting($0.kind) }.suffix(Self.keptMax))
    }

    private static func isFleeting(_ kind: EventKind) -> Bool { kind == .toss || kind == .targetRevised }

    /// Drops close finishes that only a penalty in the last over makes. The frame does not say when a penalty was
    /// given, and a late one is no part of the need before the over.
    private mutating func dropLateFinishes(_ detected: inout [MatchEvent], in snapshot: MatchSnapshot) {
        guard let last = snapshot.innings.last else { return }
        defer { detected.removeAll { late[$0.key] != nil } }
        let now = last.runs - last.balls.reduce(0) { $0 + $1.totalRuns }
        // The total of a torn frame is some runs ahead of its balls or behind them, and says nothing of penalties.
        guard now >= 0, now.isMultiple(of: 5) else { return }
        keepEarlyFinishes(&detected, in: last, penalties: now)
        let shown = detected.filter { $0.kind == .closeFinish && $0.innings == last.number }
        let newest = snapshot.innings.last { !$0.balls.isEmpty }?.balls.last?.id ?? 0
        for event in shown where now > penalties && !finishes.contains(event.key) {
            // The frame before showed the start of the over or a later moment, and this frame has a ball of it.
            let before = event.ballID ?? snapshot.innings.dropLast().last?.balls.last?.id ?? 0
            if newest > before, newestBall >= before { late[event.key] = now }
        }
        // A total that was only ahead of its balls contained no penalty.
        late = late.filter { now >= $0.value }
        penalties = now
        newestBall = newest
        finishes = Set(shown.map(\.key))
    }

    /// Keeps close finishes of the innings that only a penalty after the beginning of their over takes away: at that
    /// beginning they were true.
    private mutating func keepEarlyFinishes(_ detected: inout [MatchEvent], in last: Innings, penalties now: Int) {
        var early = (early ?? [:]).filter { $0.value.event.innings == last.number }
        for event in detected where event.kind == .closeFinish && event.innings == last.number {
            early[event.key] = EarlyFinish(event: event, penalties: now)
        }
        for (key, finish) in early where !detected.contains(where: { $0.key == key }) {
            let isThere = finish.event.ballID.map { id in last.balls.contains { $0.id == id } } ?? true
            if isThere, now > finish.penalties, (last.balls.last?.id ?? 0) > (finish.event.ballID ?? 0) {
                detected.append(finish.event)
            } else {
                early[key] = nil
            }
        }
        self.early = early
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
