import SightscreenModels

/// Counts pushes by their answer and their kind.
struct Tally {
    struct Line: Encodable, Sendable {
        var status: Int
        var reason: String?
        var event: LiveActivityEvent?
        var priority: Int
        var deviceVerdict: DeviceOutcome?
        var environment: APNsEnvironment
        var count: Int
    }

    private struct Key: Hashable {
        var answer: Int
        var event: LiveActivityEvent?
        var priority: Int
        var outcome: DeviceOutcome?
        var environment: APNsEnvironment
    }

    private var indices: [Key: Int] = [:]
    private(set) var lines: [Line] = []
    /// Most pushes are like the one before.
    private var last: (key: Key, index: Int)?

    mutating func add(
        _ answer: KnownAnswer, _ event: LiveActivityEvent?, _ priority: Int, _ outcome: DeviceOutcome?,
        _ environment: APNsEnvironment
    ) {
        let key = Key(
            answer: answer.number, event: event, priority: priority, outcome: outcome, environment: environment)
        let index: Int
        if let last, last.key == key {
            index = last.index
        } else if let known = indices[key] {
            index = known
        } else {
            index = lines.count
            indices[key] = index
            lines.append(
                Line(
                    status: answer.answer.status, reason: answer.answer.reason, event: event,
                    priority: priority, deviceVerdict: outcome, environment: environment, count: 0))
        }
        last = (key, index)
        lines[index].count += 1
    }
}
