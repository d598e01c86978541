/// The faults that are still to come, in the order in which they were asked for.
struct FaultList: Sendable {
    struct Entry: Encodable, Sendable {
        let id: Int
        let fault: Fault
        /// Matching requests that still pass.
        var passing: Int
        /// Nil: no end.
        var left: Int?
        /// Milliseconds since 1970.
        let from: Int64
        /// Nil: no end.
        let until: Int64?
        /// What of its share is due: befalls one when that is 1.
        var due = 0.0
    }

    /// More than any test asks for at once.
    static let entriesMax = 1_000

    private(set) var entries: [Entry] = []
    private var nextID = 1

    /// Its number; nil when there are too many.
    mutating func add(_ fault: Fault, nowMs: Int64) -> Int? {
        removeExpired(nowMs)
        guard entries.count < Self.entriesMax else { return nil }
        let match = fault.match
        let count = match.count ?? (match.forMs == nil && match.share == nil ? 1 : 0)
        let from = nowMs + Int64(match.afterMs ?? 0)
        entries.append(
            Entry(
                id: nextID, fault: fault, passing: max(match.after ?? 0, 0), left: count <= 0 ? nil : count, from: from,
                until: match.forMs.map { from + Int64($0) }))
        nextID += 1
        return nextID - 1
    }

    mutating func removeAll() { entries.removeAll() }

    mutating func removeExpired(_ nowMs: Int64) { entries.removeAll { $0.until.map { $0 <= nowMs } ?? false } }

    /// The fault that befalls this request, used up by it. The first one that matches does.
    mutating func take(for target: Fault.Target, nowMs: Int64) -> Fault? {
        if entries.isEmpty { return nil }
        removeExpired(nowMs)
        for index in entries.indices where entries[index].from <= nowMs && entries[index].fault.befalls(target) {
            if entries[index].passing > 0 {
                entries[index].passing -= 1
                continue
            }
            let fault = entries[index].fault
            if let share = fault.match.share {
                entries[index].due += share
                if entries[index].due < 1 { continue }
                entries[index].due -= 1
            }
            if let left = entries[index].left {
                if left == 1 { entries.remove(at: index) } else { entries[index].left = left - 1 }
            }
            return fault
        }
        return nil
    }
}
