import SightscreenModels

/// Counts what concerns channels.
struct BroadcastTally {
    struct Call: Encodable, Sendable {
        var call: CallKind
        var status: Int
        var reason: String?
        var environment: APNsEnvironment
        var count: Int
    }

    struct Deliveries: Encodable, Sendable {
        var outcome: DeviceOutcome
        var count: Int
    }

    var publishes = Tally()
    var alerts = AlertTally()
    private var outcomes: [DeviceOutcome: Int] = [:]
    private(set) var calls: [Call] = []

    /// The deliveries to phones so far, by outcome.
    var deliveries: [Deliveries] {
        DeviceOutcome.allCases.compactMap { outcome in
            outcomes[outcome].map { Deliveries(outcome: outcome, count: $0) }
        }
    }

    /// Counts a delivery to one phone.
    mutating func add(_ outcome: DeviceOutcome) { outcomes[outcome, default: 0] += 1 }

    /// Counts a request to a management port.
    mutating func addCall(_ call: CallKind, _ environment: APNsEnvironment, _ answer: SimulatorAnswer) {
        let known = calls.firstIndex { line in
            line.call == call && line.status == answer.status && line.reason == answer.reason
                && line.environment == environment
        }
        if let known {
            calls[known].count += 1
        } else {
            calls.append(
                Call(call: call, status: answer.status, reason: answer.reason, environment: environment, count: 1))
        }
    }
}
