import APNsProtocol

/// The faults that are still to come, in the order in which they were asked for.
struct FaultList: Sendable {
    struct Entry: Encodable, Sendable {
        let id: Int
        let fault: Fault
        /// Matching requests that still pass.
        var passing: Int
        /// Nil: no end.
        var left: Int?
    }

    /// More than any test asks for at once.
    static let entriesMax = 1_000

    private(set) var entries: [Entry] = []
    private var nextID = 1

    /// Its number; nil when there are too many.
    mutating func add(_ fault: Fault) -> Int? {
        guard entries.count < Self.entriesMax else { return nil }
        let count = fault.match.count ?? 1
        entries.append(
            Entry(
                id: nextID, fault: fault, passing: max(fault.match.after ?? 0, 0), left: count <= 0 ? nil : count))
        nextID += 1
        return nextID - 1
    }

    mutating func removeAll() { entries.removeAll() }

    /// The fault that befalls this request, used up by it. The first one that matches does.
    mutating func take(
        for request: APNsRequest, _ environment: APNsEnvironment, event: LiveActivityPayload.Event?
    ) -> Fault? {
        for index in entries.indices where entries[index].fault.befalls(request, environment, event: event) {
            if entries[index].passing > 0 {
                entries[index].passing -= 1
                continue
            }
            let fault = entries[index].fault
            if let left = entries[index].left {
                if left == 1 { entries.remove(at: index) } else { entries[index].left = left - 1 }
            }
            return fault
        }
        return nil
    }
}
