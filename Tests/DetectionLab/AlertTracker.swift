import Cricket
import Detection
import Replay
import SightscreenModels

/// Follows the alerts of one replay and says which of them should not have been.
///
/// It is written from the rules of alerts alone and shares nothing with the filters that it checks.
struct AlertTracker {
    /// One line for each alert that breaks a rule.
    private(set) var problems: [String] = []
    /// In order.
    private(set) var announced: [MatchEvent] = []
    /// Corrections that were told.
    private(set) var corrections = 0

    private var before: MatchSnapshot?
    /// Events that stand after the last step, by key.
    private var standing: [String: MatchEvent] = [:]
    /// Events that were announced, by key; true: taken back since.
    private var history: [String: (event: MatchEvent, wasRetracted: Bool)] = [:]

    /// The same thing on the same delivery, under whatever id the delivery goes.
    private struct Place: Hashable {
        var kind: EventKind
        var innings: Int?
        var ball: String?
        var player: Int64?
        var value: Int?

        init(_ event: MatchEvent) {
            kind = event.kind
            innings = event.innings
            ball = event.ball
            player = event.playerID
            value = event.value
        }
    }
    /// What was announced at each place, with the id of its delivery.
    private var places: [Place: Int64?] = [:]
    /// Keys of corrections that were told.
    private var corrected: Set<String> = []

    mutating func observe(_ step: ReplayStep) {
        for (place, change) in step.changes.enumerated() {
            // What time brought was so by the frame before.
            observe(change, step, in: place < step.changesByTime ? before : step.snapshot)
        }
        before = step.snapshot ?? before
    }

    private mutating func observe(_ change: MatchChange, _ step: ReplayStep, in snapshot: MatchSnapshot?) {
        for key in change.retracted {
            standing[key] = nil
            history[key]?.wasRetracted = true
        }
        for event in change.events { standing[event.key] = event }
        if (change.alert == nil) != change.announced.isEmpty {
            problems.append("frame \(step.frame): an alert and the events behind it do not go together")
        }
        for event in change.announced where event.kind == .correction { checkCorrection(event, change, step) }
        for event in change.announced where event.kind != .correction {
            check(event, step: step, in: snapshot)
            history[event.key] = (event, false)
            places[Place(event)] = .some(event.ballID)
            announced.append(event)
        }
    }

    /// A correction is of something that was told and does not stand, and comes once.
    private mutating func checkCorrection(_ event: MatchEvent, _ change: MatchChange, _ step: ReplayStep) {
        let what = "frame \(step.frame) (\(step.label)): \(event.key)"
        if !corrected.insert(event.key).inserted { problems.append("\(what) comes twice") }
        let key = event.key.dropFirst("correction:".count).prefix { $0 != "@" }
        guard let told = history[String(key)] else {
            problems.append("\(what) is of nothing that was told")
            return
        }
        if !told.wasRetracted || standing[String(key)] != nil { problems.append("\(what) is of an event that stands") }
        if change.priority != 10 { problems.append("\(what) has priority \(change.priority)") }
        corrections += 1
    }

    private mutating func check(_ event: MatchEvent, step: ReplayStep, in snapshot: MatchSnapshot?) {
        let what = "frame \(step.frame) (\(step.label)): alert for \(event.key) at \(event.ball ?? "-")"
        if let before = history[event.key] {
            if !before.wasRetracted {
                problems.append("\(what) comes twice")
            } else if !Self.isLater(event, than: before.event), !isAnother(event, before.event.ballID, step) {
                problems.append("\(what) comes again after a correction, not on a later ball")
            }
        }
        if let id = places[Place(event)], !isAnother(event, id, step) {
            problems.append("\(what) was told of this very delivery before")
        }
        if standing[event.key] == nil { problems.append("\(what) is of an event that does not stand") }
        if let snapshot, let denial = Self.denial(of: event, in: snapshot) {
            problems.append("\(what), and the same frame has \(denial)")
        }
    }

    /// What in the frame speaks against the event; nil when nothing does.
    private static func denial(of event: MatchEvent, in snapshot: MatchSnapshot) -> String? {
        guard let innings = snapshot.innings.first(where: { $0.number == event.innings }) else { return nil }
        let row = innings.batting.first { $0.playerID == event.playerID }
        switch event.kind {
        case .wicket:
            let ball = innings.balls.first { $0.id == event.ballID }
            if let ball, ball.outID != event.playerID { return "somebody else or nobody out on that ball" }
            let out = Set(innings.balls.compactMap(\.outID))
                .union(innings.batting.filter { $0.dismissal != nil }.map(\.playerID)).union([event.playerID ?? 0])
            guard let row, row.dismissal == nil, innings.wickets < out.count else { return nil }
            return "the batter not out and \(innings.wickets) wickets of \(out.count)"
        case .milestone:
            guard let row, let value = event.value, row.runs < value else { return nil }
            return "the batter on \(row.runs)"
        case .onHatTrick, .hatTrick:
            guard let line = innings.bowling.first(where: { $0.playerID == event.playerID }),
                line.wickets < event.value ?? 2
            else { return nil }
            return "the bowler with \(line.wickets) wickets"
        case .batterOnFire:
            guard let row, row.ballsFaced < 15 || row.runs < 2 * row.ballsFaced else { return nil }
            return "the batter on \(row.runs) (\(row.ballsFaced))"
        default:
            return nil
        }
    }

    /// Whether the event's ball is another one than that with this id: both stand, though they may share a label (a
    /// wide and the ball that replaces it).
    private func isAnother(_ event: MatchEvent, _ id: Int64?, _ step: ReplayStep) -> Bool {
        guard let id, let own = event.ballID, own > id else { return false }
        let innings = step.snapshot?.innings.first { $0.number == event.innings }
        return innings?.balls.contains { $0.id == id } ?? false
    }

    private static func isLater(_ event: MatchEvent, than other: MatchEvent) -> Bool {
        place(other).lexicographicallyPrecedes(place(event))
    }

    private static func place(_ event: MatchEvent) -> [Int] {
        [event.innings ?? 0] + (event.ball ?? "").split(separator: ".").map { Int($0) ?? 0 }
    }
}
