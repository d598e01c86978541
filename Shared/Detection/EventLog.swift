import Sightscreen

/// Which events were logged: gives back what a frame adds to them and what it takes away.
///
/// Keys are kept for the innings that can still change: that is the one in play, and the one before until the next is
/// two overs old. Of a frame that has lost more balls than a correction takes, nothing is retracted.
struct EventLog: Codable, Sendable, Equatable {
    /// As many balls may vanish in a correction; when more are gone, the frame is torn.
    static let ballsKept = 30
    /// Balls of the next innings after which the one before is closed.
    static let ballsUntilClosed = 12

    /// Innings number → keys, sorted; 0 for events of no innings.
    private var known: [Int: [String]] = [:]
    private var balls: [Int: Int] = [:]
    /// Innings up to this one are closed: their events are all logged.
    private var closed = 0

    /// What `detected` shows first, in its order, and the keys that it no longer shows.
    mutating func take(
        _ detected: [MatchEvent], in snapshot: MatchSnapshot
    ) -> (fresh: [MatchEvent], retracted: [String]) {
        var present: [Int: Set<String>] = [:]
        var fresh: [MatchEvent] = []
        let before = known.mapValues { Set($0) }
        for event in detected {
            let innings = event.innings ?? 0
            guard innings == 0 || innings > closed else { continue }
            let isFirst = present[innings, default: []].insert(event.key).inserted
            if isFirst, before[innings]?.contains(event.key) != true { fresh.append(event) }
        }

        var retracted: [String] = []
        for innings in Set(known.keys).union(present.keys).sorted() {
            let count = snapshot.innings.first { $0.number == innings }?.balls.count ?? 0
            let now = present[innings] ?? []
            let old = before[innings] ?? []
            if count + Self.ballsKept < balls[innings] ?? 0 {
                known[innings] = old.union(now).sorted()
            } else {
                retracted += old.subtracting(now).sorted()
                known[innings] = now.isEmpty ? nil : now.sorted()
                balls[innings] = count
            }
        }
        close(snapshot)
        return (fresh, retracted)
    }

    private mutating func close(_ snapshot: MatchSnapshot) {
        guard let last = snapshot.innings.last(where: { $0.balls.count >= Self.ballsUntilClosed }) else { return }
        closed = max(closed, last.number - 1)
        for innings in known.keys where innings > 0 && innings <= closed {
            known[innings] = nil
            balls[innings] = nil
        }
    }
}
