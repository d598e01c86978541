import APNsProtocol
package import SightscreenModels

/// Counts of what the loops did since the last reading, for the metrics.
package struct FanOutCounts: Sendable {
    package var pushes: [PushCount: Int] = [:]
    /// Updates that repeat a state which an earlier push already carried.
    package var repetitions = 0
    /// Pushes that a hold kept from leaving.
    package var held = 0
    /// States that a channel's pace, or its rest after a 429, kept from leaving at once.
    package var paced = 0
    package var rested = 0
    package var failures: [PushFailure: Int] = [:]
    /// Loops that send a host nothing but an occasional probe.
    package var stopped: [APNsEnvironment: Int] = [:]

    package init() {}

    package mutating func add(_ other: Self) {
        pushes.merge(other.pushes) { $0 + $1 }
        repetitions += other.repetitions
        held += other.held
        paced += other.paced
        rested += other.rested
        failures.merge(other.failures) { $0 + $1 }
        stopped.merge(other.stopped) { $0 + $1 }
    }
}
