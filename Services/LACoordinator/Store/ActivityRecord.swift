package import Activities
import Postgres
package import SightscreenModels

/// What a coordinator knows of one row of `live_activities`.
package struct ActivityRecord: Sendable, Hashable {
    package enum Status: String, Sendable { case pending, active, ended }

    package var key: ActivityKey
    package var route: DeviceRoute
    package var environment: APNsEnvironment
    package var status: Status
    package var updateToken: UpdateToken?
    /// When the token was registered, seconds since 1970.
    package var tokenAt: Double
    /// Of the follow; none without one.
    package var alerts: AlertLevel
    /// Of the device: its user has not switched frequent updates off.
    package var takesFrequentPushes: Bool
}
