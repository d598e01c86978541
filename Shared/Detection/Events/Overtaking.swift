import Cricket
import SightscreenModels

/// The events that the match has moved past: a fifty when the batter has 100, a new batter who is out again, a
/// hat-trick that the bowler's next ball did not bring, the break before an innings that is on. It is worked out once
/// for a frame, so that a frame of nonsense with thousands of events costs no more than its size.
struct Overtaking {
    private struct Run: Hashable {
        var kind: EventKind
        var innings: Int?
        var player: Int64?
    }
    /// No player takes more hat-tricks in one innings; a frame with more is broken and ignored.
    private static let hatTricksMax = 64

    private let snapshot: MatchSnapshot
    private var highest: [Run: Int] = [:]
    private var hatTricks: [Run: [MatchEvent]] = [:]
    private var fallen: Set<Run> = []
    /// Innings that are over by an event, a phase or their figures.
    private var ended: Set<Int> = []
    private let situation: MatchSituation

    init(by all: [MatchEvent], in snapshot: MatchSnapshot) {
        self.snapshot = snapshot
        situation = MatchSituation(snapshot)
        for event in all {
            let run = Run(kind: event.kind, innings: event.innings, player: event.playerID)
            switch event.kind {
            case .milestone, .consecutiveSixes: highest[run] = max(highest[run] ?? 0, event.value ?? 0)
            case .hatTrick: hatTricks[run, default: []].append(event)
            case .wicket: fallen.insert(run)
            case .inningsBreak, .matchResult: if let innings = event.innings { ended.insert(innings) }
            default: break
            }
        }
        if let last = snapshot.innings.last, ResultJudge.isOver(snapshot.phase) || situation.isInningsOver {
            ended.insert(last.number)
        }
    }

    func covers(_ event: MatchEvent) -> Bool {
        func run(_ kind: EventKind) -> Run { Run(kind: kind, innings: event.innings, player: event.playerID) }
        switch event.kind {
        case .milestone, .consecutiveSixes: return highest[run(event.kind)] ?? 0 > event.value ?? 0
        case .nineties: return highest[run(.milestone)] ?? 0 >= 100
        case .newBatter: return fallen.contains(run(.wicket))
        case .onHatTrick:
            return isEnded(event.innings) || hasBowledSince(event)
        case .hatTrick: return isLongerStreak(than: event)
        case .inningsBreak:
            guard let number = event.innings else { return false }
            return snapshot.innings.contains { $0.number > number && !$0.balls.isEmpty }
        case .batterOnFire: return !canWin(event, isBatting: true)
        case .bowlerOnFire: return !canWin(event, isBatting: false)
        case .closeFinish: return isEnded(event.innings) || hasLastOverBegun(event)
        case .targetRevised:
            return isEnded(2) || snapshot.revisedTarget.map { event.key != EventDetector.targetKey($0) } ?? false
        case .toss: return snapshot.innings.contains { !$0.balls.isEmpty }
        case .suspended: return snapshot.phase != .interrupted
        case .resumed: if case .innings = snapshot.phase { return false } else { return true }
        case .stumps: if case .stumps = snapshot.phase { return false } else { return true }
        default: return false
        }
    }

    /// Whether a later hat-trick goes on from this one, or from this "on a hat-trick".
    func isLongerStreak(than event: MatchEvent) -> Bool {
        guard event.kind == .onHatTrick || event.kind == .hatTrick,
            let later = hatTricks[Run(kind: .hatTrick, innings: event.innings, player: event.playerID)],
            later.count <= Self.hatTricksMax
        else { return false }
        return later.contains {
            ($0.value ?? 0) > (event.value ?? 0) && ($0.ballID ?? 0) > (event.ballID ?? 0) && isOneStreak(event, $0)
        }
    }

    private func isEnded(_ innings: Int?) -> Bool {
        guard let innings else { return false }
        return ended.contains(innings) || snapshot.innings.contains { $0.number > innings }
    }

    /// Whether the bowler of `event` has bowled a ball after it: then the hat-trick has come or cannot come any more.
    private func hasBowledSince(_ event: MatchEvent) -> Bool {
        guard let id = event.ballID, let innings = snapshot.innings.first(where: { $0.number == event.innings }) else {
            return false
        }
        return innings.balls.contains { $0.bowlerID == event.playerID && $0.id > id }
    }

    private func hasLastOverBegun(_ event: MatchEvent) -> Bool {
        guard let innings = snapshot.innings.first(where: { $0.number == event.innings }),
            let last = LastOver(innings, in: snapshot)
        else { return true }
        return innings.balls.contains { $0.over >= last.over }
    }

    /// Whether the side of the event's player can still win: the chase needs no more than a six off each ball left, and
    /// has not made its target yet.
    private func canWin(_ event: MatchEvent, isBatting: Bool) -> Bool {
        guard let chase = situation.chase, let number = event.innings, number == situation.current?.number,
            number.isMultiple(of: 2)
        else { return true }
        guard chase.need > 0 else { return false }
        guard isBatting else { return true }
        return chase.wicketsLeft > 0 && (chase.ballsLeft.map { chase.need <= 6 * $0 } ?? true)
    }

    /// Whether nothing but wickets of the bowler lies between two of their streak events.
    private func isOneStreak(_ first: MatchEvent, _ last: MatchEvent) -> Bool {
        guard let from = first.ballID, let to = last.ballID,
            let innings = snapshot.innings.first(where: { $0.number == first.innings })
        else { return false }
        return innings.balls.allSatisfy {
            $0.id <= from || $0.id > to || $0.bowlerID != first.playerID || $0.howOut?.isBowlers == true
        }
    }
}
