import APNsProtocol
import SightscreenModels

/// What loops did in a while, for the metrics.
package struct FanOutCounts: Sendable {
    var pushes: [PushCount: Int] = [:]
    /// Of the updates among them, pushes of something that the phone should have had by an earlier one.
    var repetitions = 0
    /// Pushes that a hold kept from leaving.
    var held = 0
    var failures: [PushFailure: Int] = [:]
    /// Loops that send a host nothing but a push now and then.
    var stopped: [APNsEnvironment: Int] = [:]

    mutating func add(_ other: Self) {
        pushes.merge(other.pushes) { $0 + $1 }
        repetitions += other.repetitions
        held += other.held
        failures.merge(other.failures) { $0 + $1 }
        stopped.merge(other.stopped) { $0 + $1 }
    }
}
