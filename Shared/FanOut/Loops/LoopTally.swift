import Activities

/// Reports and counts that a loop collects until its next tick, or until it is asked.
struct LoopTally {
    /// Tokens that APNs called dead.
    var dead: [DeadToken] = []
    /// Tokens of ends that the detectors rejected.
    var rejectedEnds: [EndedToken] = []
    /// Alerts that will not be sent.
    var lostAlerts = 0
    /// Updates that were not accepted, by reason.
    var failures: [PushFailure: Int] = [:]
    /// Pushes that a hold kept from leaving.
    var held = 0
    /// States that a channel's pace, or its rest, kept from leaving at once.
    var paced = 0
    var rested = 0

    /// Removes and returns the reports; called with each tick.
    mutating func takeReports() -> [FanOutReport] {
        defer { (dead, rejectedEnds, lostAlerts) = ([], [], 0) }
        return (dead.isEmpty ? [] : [.dead(dead)]) + (rejectedEnds.isEmpty ? [] : [.rejectedEnds(rejectedEnds)])
            + (lostAlerts == 0 ? [] : [.lostAlerts(lostAlerts)])
    }
}
