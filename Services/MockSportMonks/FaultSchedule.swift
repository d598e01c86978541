/// The faults that wait, each for its time or its call. The caller passes the time.
struct FaultSchedule: Sendable {
    static let faultsMax = 100

    private var waiting: [(fault: ProviderFault, dueAt: Double)] = []

    var faults: [ProviderFault] { waiting.map(\.fault) }

    /// - Parameter now: the time in seconds, from which a fault's `atMs` counts.
    /// - Returns: false when there is no room for all of them; none is added then.
    mutating func add(_ faults: [ProviderFault], at now: Double) -> Bool {
        guard waiting.count + faults.count <= Self.faultsMax else { return false }
        waiting += faults.map { ($0, now + Double($0.atMs ?? 0) / 1_000) }
        return true
    }

    mutating func removeAll() { waiting = [] }

    /// Returns the fault that applies to a call, the one added first of those due. The call counts for faults that wait
    /// for calls.
    mutating func take(for endpoint: ProviderEndpoint, at now: Double) -> ProviderFault? {
        var taken: Int?
        for index in waiting.indices {
            guard waiting[index].fault.endpoint == nil || waiting[index].fault.endpoint == endpoint else { continue }
            if let left = waiting[index].fault.afterCalls, left > 0 {
                waiting[index].fault.afterCalls = left - 1
            } else if taken == nil, waiting[index].dueAt <= now {
                taken = index
            }
        }
        guard let taken else { return nil }
        let fault = waiting[taken].fault
        waiting[taken].fault.count -= 1
        if waiting[taken].fault.count <= 0 { waiting.remove(at: taken) }
        return fault
    }
}
