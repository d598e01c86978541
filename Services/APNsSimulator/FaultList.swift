/// The faults that are still to come, in the order of their requests.
struct FaultList: Sendable {
    struct Entry: Encodable, Sendable {
        let id: Int
        let fault: Fault
        /// Matching requests that still pass first.
        var passing: Int
        /// Requests that the fault still applies to; nil for no end.
        var left: Int?
        /// The start of the fault, in milliseconds since 1970.
        let from: Int64
        /// The end of the fault, in milliseconds since 1970; nil for no end.
        let until: Int64?
        /// The accumulated share; the fault hits a request when it reaches 1.
        var due = 0.0
    }

    /// The most faults at a time, more than any test asks for.
    static let entriesMax = 1_000

    private(set) var entries: [Entry] = []
    private var nextID = 1

    /// Adds a fault and returns its number; nil when there are too many.
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

    /// Returns the first fault that matches this request, and counts it as used.
    mutating func take(for target: Fault.Target, nowMs: Int64) -> Fault? {
        if entries.isEmpty { return nil }
        removeExpired(nowMs)
        for index in entries.indices where entries[index].from <= nowMs && entries[index].fault.hits(target) {
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
