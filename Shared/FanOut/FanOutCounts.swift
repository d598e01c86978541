import APNsProtocol
package import SightscreenModels

/// What loops did in a while, for the metrics.
package struct FanOutCounts: Sendable {
    package var pushes: [PushCount: Int] = [:]
    /// Of the updates among them, pushes of something that the phone should have had by an earlier one.
    package var repetitions = 0
    /// Pushes that a hold kept from leaving.
    package var held = 0
    package var failures: [PushFailure: Int] = [:]
    /// Loops that send a host nothing but a push now and then.
    package var stopped: [APNsEnvironment: Int] = [:]

    package init() {}

    package mutating func add(_ other: Self) {
        pushes.merge(other.pushes) { $0 + $1 }
        repetitions += other.repetitions
        held += other.held
        failures.merge(other.failures) { $0 + $1 }
        stopped.merge(other.stopped) { $0 + $1 }
    }
}
