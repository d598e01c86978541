import Cricket
import SightscreenModels

/// The log of events by key: finds the events that a frame adds and the keys that it retracts.
///
/// An event whose content changes (another bowler, another ball) is retracted and added again under the same key. Keys
/// are kept for the innings that can still change: the one in play, and the one before it until the next is two overs
/// old. A frame that has lost more balls than a correction removes retracts nothing.
struct EventLog: Codable, Sendable, Equatable {
    /// The most balls that may vanish in a correction; when more are gone, the frame is torn.
    static let ballsKept = 30
    /// Balls of the next innings after which the innings before is closed.
    static let ballsUntilClosed = 12
    /// Frames in a row that must close an innings, so that one frame of nonsense closes nothing.
    static let framesUntilClosed = 3

    /// Innings number → key → digest of the content; 0 for events of no innings.
    private var known: [Int: [String: UInt32]] = [:]
    private var balls: [Int: Int] = [:]
    /// The newest closed innings: all events up to it are logged.
    private var closed = 0
    /// Frames in a row that would have closed a later innings.
    private var closing = 0

    /// Returns the events that `detected` shows first, in its order, and the keys that it no longer shows or shows with
    /// other content.
    mutating func take(
        _ detected: [MatchEvent], in snapshot: MatchSnapshot
    ) -> (fresh: [MatchEvent], retracted: [String]) {
        var present: [Int: [String: UInt32]] = [:]
        var fresh: [MatchEvent] = []
        var replaced: [String] = []
        for event in detected {
            let innings = event.innings ?? 0
            guard innings == 0 || innings > closed, present[innings]?[event.key] == nil else { continue }
            let digest = Self.digest(event)
            present[innings, default: [:]][event.key] = digest
            let before = known[innings]?[event.key]
            if before == digest { continue }
            fresh.append(event)
            if before != nil { replaced.append(event.key) }
        }

        var gone: [String] = []
        for innings in Set(known.keys).union(present.keys).sorted() {
            let count = snapshot.innings.first { $0.number == innings }?.balls.count ?? 0
            let now = present[innings] ?? [:]
            let old = known[innings] ?? [:]
            if count + Self.ballsKept < balls[innings] ?? 0 {
                known[innings] = old.merging(now) { _, new in new }
            } else {
                gone += old.keys.filter { now[$0] == nil }
                known[innings] = now.isEmpty ? nil : now
                balls[innings] = count
            }
        }
        close(snapshot)
        return (fresh, (gone + replaced).sorted())
    }

    private mutating func close(_ snapshot: MatchSnapshot) {
        // The provider took back an innings after it was closed; its events are new again from here on.
        if let newest = snapshot.innings.last, newest.number <= closed { closed = newest.number - 1 }
        guard let last = snapshot.innings.last(where: { $0.balls.count >= Self.ballsUntilClosed }),
            last.number - 1 > closed
        else {
            closing = 0
            return
        }
        closing += 1
        guard closing >= Self.framesUntilClosed else { return }
        closing = 0
        closed = last.number - 1
        for innings in known.keys where innings > 0 && innings <= closed {
            known[innings] = nil
            balls[innings] = nil
        }
    }

    /// FNV-1a of an event's ball, value and people. The text is left out, since it names a fielder or a rate and may be
    /// reworded, and so is the ball's id, which is not shown.
    static func digest(_ event: MatchEvent) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        func mix(_ number: Int64?) {
            var left = UInt64(bitPattern: number ?? -1)
            for _ in 0..<8 {
                hash = (hash ^ UInt32(truncatingIfNeeded: left & 0xff)) &* 0x0100_0193
                left >>= 8
            }
        }
        for byte in (event.ball ?? "").utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        mix(event.value.map(Int64.init))
        mix(event.bowlerID)
        mix(event.batterID)
        mix(event.outID)
        return hash
    }
}
