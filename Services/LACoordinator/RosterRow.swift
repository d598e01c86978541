import APNsProtocol
import Activities
import Sightscreen
import Store

/// One active activity that this coordinator pushes to. Touched by the coordinator alone.
final class RosterRow {
    let key: ActivityKey
    let route: DeviceRoute
    let environment: APNsEnvironment
    let token: UpdateToken
    /// Seconds since 1970.
    let tokenAt: Double
    let gate: PushGate

    var convergence: ActivityConvergence
    /// The last alert that the phone was told, or that was lost on its way.
    var alertedThrough: MatchVersion?
    /// Its token is new: the first state goes at once, at priority 10.
    var isNew: Bool
    /// What went before it has an unknown outcome: the state is repeated at priority 5, without the alert it had.
    var repeatsQuietly = false
    var failures = 0
    var retryAt: ContinuousClock.Instant?

    init(_ record: ActivityRecord, token: UpdateToken, delivered: Stamp?, isNew: Bool, gate: PushGate) {
        key = record.key
        route = record.route
        environment = APNsEnvironment(rawValue: record.environment) ?? .production
        self.token = token
        tokenAt = record.tokenAt
        convergence = ActivityConvergence(delivered: delivered)
        self.isNew = isNew
        self.gate = gate
    }

    var bucket: Int { route.bucket(of: LACoordinator.bucketCount) }

    /// The wait before the next try: doubling, a half of it random.
    func nextDelay(from first: Duration, to most: Duration) -> Duration {
        let bound = min(first * (1 << min(failures, 10)), most)
        failures += 1
        return bound * Double.random(in: 0.5...1)
    }
}
