import Sightscreen

/// Which events the match has moved past: a fifty when the batter has 100, a new batter who is out again, the break before
/// an innings that is on. Made once for a frame, so that a frame of nonsense with thousands of events costs no more than
/// its size.
struct Overtaking {
    private struct Run: Hashable {
        var kind: EventKind
        var innings: Int?
        var player: Int64?
    }

    /// Nobody takes more in one innings: what shows more is no cricket, and nothing is worked out of it.
    private static let hatTricksMax = 64

    private let snapshot: MatchSnapshot
    private var highest: [Run: Int] = [:]
    private var hatTricks: [Run: [MatchEvent]] = [:]
    private var fallen: Set<Run> = []

    init(by all: [MatchEvent], in snapshot: MatchSnapshot) {
        self.snapshot = snapshot
        for event in all {
            let run = Run(kind: event.kind, innings: event.innings, player: event.playerID)
            switch event.kind {
            case .milestone, .consecutiveSixes: highest[run] = max(highest[run] ?? 0, event.value ?? 0)
            case .hatTrick: hatTricks[run, default: []].append(event)
            case .wicket: fallen.insert(run)
            default: break
            }
        }
    }

    func covers(_ event: MatchEvent) -> Bool {
        func run(_ kind: EventKind) -> Run { Run(kind: kind, innings: event.innings, player: event.playerID) }
        switch event.kind {
        case .milestone, .consecutiveSixes: return highest[run(event.kind)] ?? 0 > event.value ?? 0
        case .nineties: return highest[run(.milestone)] ?? 0 >= 100
        case .newBatter: return fallen.contains(run(.wicket))
        case .onHatTrick, .hatTrick:
            guard let later = hatTricks[run(.hatTrick)], later.count <= Self.hatTricksMax else { return false }
            return later.contains {
                ($0.value ?? 0) > (event.value ?? 0) && ($0.ballID ?? 0) > (event.ballID ?? 0) && isOneStreak(event, $0)
            }
        case .inningsBreak:
            guard let number = event.innings else { return false }
            return snapshot.innings.contains { $0.number > number && !$0.balls.isEmpty }
        default: return false
        }
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
