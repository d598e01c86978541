import Activities

/// What a loop has to report with its next tick, or when it is asked.
struct LoopTally {
    /// Tokens that APNs called dead.
    var dead: [DeadToken] = []
    /// Alerts that nobody will be told.
    var lostAlerts = 0
    /// Updates that were not taken.
    var failures: [PushFailure: Int] = [:]
    /// Pushes that a hold kept from leaving.
    var held = 0

    /// With a tick.
    mutating func takeReports() -> [FanOutReport] {
        defer { (dead, lostAlerts) = ([], 0) }
        return (dead.isEmpty ? [] : [.dead(dead)]) + (lostAlerts == 0 ? [] : [.lostAlerts(lostAlerts)])
    }
}
