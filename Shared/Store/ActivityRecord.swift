public import Activities
import Postgres
public import SightscreenModels

/// What a coordinator knows of one row of `live_activities`.
public struct ActivityRecord: Sendable, Hashable {
    public enum Status: String, Sendable { case pending, active, ended }

    public var key: ActivityKey
    public var route: DeviceRoute
    public var environment: APNsEnvironment
    public var status: Status
    public var updateToken: UpdateToken?
    /// When the token was registered, seconds since 1970.
    public var tokenAt: Double
    /// Of the follow; none without one.
    public var alerts: AlertLevel
    /// Of the device: its user has not switched frequent updates off.
    public var takesFrequentPushes: Bool
}

extension PostgresRow {
    /// The column `environment` of `devices`. A word of a later release is taken for production, as one that is missing is.
    func environment() throws -> APNsEnvironment {
        APNsEnvironment(rawValue: try string("environment")) ?? .production
    }
}
